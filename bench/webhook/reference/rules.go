package main

import (
	"context"
	"fmt"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// rules sets about as many defaults, and checks about as much, as minicluster-webhook does for the
// review of the benchmark.
type rules struct{}

func (rules) Default(_ context.Context, object runtime.Object) error {
	cluster := object.(*MiniCluster)
	spec := &cluster.Spec
	orNumber(&spec.Size, 1)
	orNumber(&spec.MaxSize, spec.Size)
	orNumber(&spec.Tasks, 1)
	orNumber(&spec.DeadlineSeconds, 31500000)
	orText(&spec.Network.HeadlessName, cluster.Name)
	orText(&spec.Flux.ConnectTimeout, "5s")
	orText(&spec.Flux.Scheduler.QueuePolicy, "fcfs")
	orText(&spec.Flux.Container.Name, "flux-view")
	orText(&spec.Flux.Container.Image, "ghcr.io/converged-computing/flux-view-ubuntu:tag-noble")
	orText(&spec.Flux.Container.MountPath, "/mnt/flux")
	orNumber(&spec.Flux.LogLevel, 6)
	if len(spec.Containers) == 1 {
		spec.Containers[0].RunFlux = true
	}
	for i := range spec.Containers {
		orText(&spec.Containers[i].Image, "ghcr.io/rse-ops/accounting:app-latest")
	}
	return nil
}

func orText(value *string, standard string) {
	if *value == "" {
		*value = standard
	}
}

func orNumber[T int32 | int64](value *T, standard T) {
	if *value == 0 {
		*value = standard
	}
}

func (rules) ValidateCreate(_ context.Context, object runtime.Object) (admission.Warnings, error) {
	cluster := object.(*MiniCluster)
	found := validate(cluster)
	if len(found) == 0 {
		return warnings(cluster), nil
	}
	kind := schema.GroupKind{Group: groupVersion.Group, Kind: "MiniCluster"}
	return nil, errors.NewInvalid(kind, cluster.Name, found)
}

func (r rules) ValidateUpdate(c context.Context, _, object runtime.Object) (admission.Warnings, error) {
	return r.ValidateCreate(c, object)
}

func (rules) ValidateDelete(context.Context, runtime.Object) (admission.Warnings, error) {
	return nil, nil
}

func validate(cluster *MiniCluster) field.ErrorList {
	var all field.ErrorList
	spec, at := &cluster.Spec, field.NewPath("spec")
	all = append(all, texts(at.Child("name"), cluster.Name, validation.IsDNS1035Label)...)
	if spec.Size < 1 {
		all = append(all, field.Invalid(at.Child("size"), spec.Size, "must be at least 1"))
	}
	if spec.MaxSize < spec.Size {
		all = append(all, field.Invalid(at.Child("maxSize"), spec.MaxSize, "must be at least size"))
	}
	if spec.Tasks < 0 {
		all = append(all, field.Invalid(at.Child("tasks"), spec.Tasks, "must be at least 0"))
	}
	if spec.DeadlineSeconds < 1 {
		all = append(all, field.Invalid(at.Child("deadlineSeconds"), spec.DeadlineSeconds, "must be at least 1"))
	}
	if spec.Flux.LogLevel < 0 || spec.Flux.LogLevel > 7 {
		all = append(all, field.Invalid(at.Child("flux", "logLevel"), spec.Flux.LogLevel, "must be between 0 and 7"))
	}
	all = append(all, labels(at.Child("jobLabels"), spec.JobLabels)...)
	all = append(all, labels(at.Child("pod", "labels"), spec.Pod.Labels)...)
	all = append(all, labels(at.Child("pod", "nodeSelector"), spec.Pod.NodeSelector)...)
	runners := 0
	for i := range spec.Containers {
		all = append(all, container(at.Child("containers").Index(i), &spec.Containers[i])...)
		if spec.Containers[i].RunFlux {
			runners++
		}
	}
	if runners != 1 {
		all = append(all, field.Required(at.Child("containers"), "exactly one container runs Flux"))
	}
	for i := range spec.Services {
		all = append(all, container(at.Child("services").Index(i), &spec.Services[i])...)
	}
	return all
}

func texts(at *field.Path, value string, check func(string) []string) field.ErrorList {
	var all field.ErrorList
	for _, wrong := range check(value) {
		all = append(all, field.Invalid(at, value, wrong))
	}
	return all
}

func labels(at *field.Path, all map[string]string) field.ErrorList {
	var out field.ErrorList
	for key, value := range all {
		out = append(out, texts(at.Key(key), key, validation.IsQualifiedName)...)
		out = append(out, texts(at.Key(key), value, validation.IsValidLabelValue)...)
	}
	return out
}

func container(at *field.Path, one *Container) field.ErrorList {
	var all field.ErrorList
	if one.Image == "" {
		all = append(all, field.Required(at.Child("image"), "an image is required"))
	}
	if one.Name != "" {
		all = append(all, texts(at.Child("name"), one.Name, validation.IsDNS1123Label)...)
	}
	for name := range one.Environment {
		all = append(all, texts(at.Child("environment").Key(name), name, validation.IsEnvVarName)...)
	}
	for name, volume := range one.Volumes {
		all = append(all, texts(at.Child("volumes").Key(name), name, validation.IsDNS1123Label)...)
		if !path.IsAbs(volume.Path) {
			all = append(all, field.Invalid(at.Child("volumes").Key(name).Child("path"), volume.Path, "must be absolute"))
		}
	}
	for i, port := range one.Ports {
		for _, wrong := range validation.IsValidPortNum(int(port)) {
			all = append(all, field.Invalid(at.Child("ports").Index(i), port, wrong))
		}
	}
	for name, quantity := range one.Resources.Limits {
		if quantity.Sign() < 0 {
			all = append(all, field.Invalid(at.Child("resources", "limits").Key(string(name)), quantity.String(), "must be at least 0"))
		}
	}
	for name, quantity := range one.Resources.Requests {
		limit, limited := one.Resources.Limits[name]
		if limited && quantity.Cmp(limit) > 0 {
			all = append(all, field.Invalid(at.Child("resources", "requests").Key(string(name)), quantity.String(), "must be at most the limit"))
		}
	}
	return all
}

func warnings(cluster *MiniCluster) admission.Warnings {
	var out admission.Warnings
	for i, one := range cluster.Spec.Containers {
		if !strings.Contains(one.Image, ":") {
			out = append(out, fmt.Sprintf("spec.containers[%d].image: has no tag and no digest", i))
		}
	}
	return out
}
