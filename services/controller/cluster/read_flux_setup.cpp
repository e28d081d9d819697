#include "common/api/examine.h"
#include "common/api/model/flux_setup.h"
#include "common/api/model/names.h"
#include "common/base/json.h"
#include "services/controller/cluster/read.h"

namespace mc::controller {
namespace {

Opaque object_or_null(const json& value) { return value.is_object() ? Opaque(value) : Opaque(); }

}  // namespace

FluxSetup read_flux_setup(const json& setup) {
  const json& annotations = at_path(setup, {"metadata", "annotations"});
  return {.metadata = read_metadata(setup),
          .generation = integer_at(setup, {"metadata", "generation"}),
          .is_kept = text_at(annotations, {api::kKeepAnnotation}) == "true",
          .replaced = text_at(annotations, {api::kReplacedAnnotation}),
          .parsed = api::parse_flux_setup(setup),
          .errors = api::examine_kind(api::kFluxSetupKind, setup).errors,
          .spec = object_or_null(at_path(setup, {"spec"})),
          .status = object_or_null(at_path(setup, {"status"})),
          .flux_defaults = object_or_null(at_path(setup, {"spec", "defaults", "flux"})),
          .conditions = read_conditions(at_path(setup, {"status"}))};
}

}  // namespace mc::controller
