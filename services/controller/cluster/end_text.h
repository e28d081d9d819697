#pragma once
#include <optional>
#include <string>

#include "common/api/model/conditions.h"
#include "services/controller/cluster/types.h"

// The end of a MiniCluster, Complete or Failed, as the annotation api::kEndAnnotation. Pure.
namespace mc::controller {

// Of a Job that was made to give up, which must not end as the Job controller reports it.
std::string end_text(const api::Condition& end);
// Nothing if the text is not one of end_text().
std::optional<api::Condition> read_end(const std::string& text);

// Of a MiniCluster, which a backup keeps without its status. It holds for this namespace and name
// alone, so that a renamed copy runs.
std::string end_text_of(const MiniCluster& cluster, const api::StoredCondition& end);
// Nothing if the annotation of `cluster` is not one of end_text_of(cluster, ...).
std::optional<api::Condition> read_end_of(const MiniCluster& cluster);

}  // namespace mc::controller
