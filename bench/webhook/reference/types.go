package main

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var groupVersion = schema.GroupVersion{Group: "flux-framework.org", Version: "v1alpha2"}

// MiniCluster has the fields that the review of the benchmark has, and their neighbours, as Go
// types. Kubernetes' own types are those of k8s.io/api.
type MiniCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              Spec `json:"spec,omitempty"`
}

type Spec struct {
	Size                  int32             `json:"size,omitempty"`
	MinSize               int32             `json:"minSize,omitempty"`
	MaxSize               int32             `json:"maxSize,omitempty"`
	Tasks                 int32             `json:"tasks,omitempty"`
	DeadlineSeconds       int64             `json:"deadlineSeconds,omitempty"`
	Cleanup               bool              `json:"cleanup,omitempty"`
	Interactive           bool              `json:"interactive,omitempty"`
	ShareProcessNamespace bool              `json:"shareProcessNamespace,omitempty"`
	JobLabels             map[string]string `json:"jobLabels,omitempty"`
	Containers            []Container       `json:"containers,omitempty"`
	Services              []Container       `json:"services,omitempty"`
	Flux                  Flux              `json:"flux,omitempty"`
	Logging               Logging           `json:"logging,omitempty"`
	Network               Network           `json:"network,omitempty"`
	Pod                   Pod               `json:"pod,omitempty"`
}

type Container struct {
	Name             string                      `json:"name,omitempty"`
	Image            string                      `json:"image,omitempty"`
	ImagePullSecret  string                      `json:"imagePullSecret,omitempty"`
	PullAlways       bool                        `json:"pullAlways,omitempty"`
	RunFlux          bool                        `json:"runFlux,omitempty"`
	Command          string                      `json:"command,omitempty"`
	Batch            bool                        `json:"batch,omitempty"`
	Launcher         bool                        `json:"launcher,omitempty"`
	NoWrapEntrypoint bool                        `json:"noWrapEntrypoint,omitempty"`
	Logs             string                      `json:"logs,omitempty"`
	WorkingDir       string                      `json:"workingDir,omitempty"`
	Commands         Commands                    `json:"commands,omitempty"`
	Environment      map[string]string           `json:"environment,omitempty"`
	Volumes          map[string]Volume           `json:"volumes,omitempty"`
	Ports            []int32                     `json:"ports,omitempty"`
	Resources        corev1.ResourceRequirements `json:"resources,omitempty"`
	SecurityContext  *corev1.SecurityContext     `json:"securityContext,omitempty"`
}

type Commands struct {
	Init       string `json:"init,omitempty"`
	Pre        string `json:"pre,omitempty"`
	BrokerPre  string `json:"brokerPre,omitempty"`
	WorkerPre  string `json:"workerPre,omitempty"`
	Post       string `json:"post,omitempty"`
	Prefix     string `json:"prefix,omitempty"`
	Script     string `json:"script,omitempty"`
	ServicePre string `json:"servicePre,omitempty"`
}

type Volume struct {
	Path          string            `json:"path,omitempty"`
	ReadOnly      bool              `json:"readOnly,omitempty"`
	ClaimName     string            `json:"claimName,omitempty"`
	ConfigMapName string            `json:"configMapName,omitempty"`
	SecretName    string            `json:"secretName,omitempty"`
	HostPath      string            `json:"hostPath,omitempty"`
	EmptyDir      bool              `json:"emptyDir,omitempty"`
	Items         map[string]string `json:"items,omitempty"`
}

type Flux struct {
	Container      FluxContainer     `json:"container,omitempty"`
	BrokerConfig   string            `json:"brokerConfig,omitempty"`
	ConnectTimeout string            `json:"connectTimeout,omitempty"`
	Environment    map[string]string `json:"environment,omitempty"`
	LogLevel       int32             `json:"logLevel,omitempty"`
	OptionFlags    string            `json:"optionFlags,omitempty"`
	Scheduler      Scheduler         `json:"scheduler,omitempty"`
	SubmitCommand  string            `json:"submitCommand,omitempty"`
	Wrap           string            `json:"wrap,omitempty"`
}

type FluxContainer struct {
	Name       string                      `json:"name,omitempty"`
	Image      string                      `json:"image,omitempty"`
	Disable    bool                        `json:"disable,omitempty"`
	MountPath  string                      `json:"mountPath,omitempty"`
	PythonPath string                      `json:"pythonPath,omitempty"`
	WorkingDir string                      `json:"workingDir,omitempty"`
	Resources  corev1.ResourceRequirements `json:"resources,omitempty"`
}

type Scheduler struct {
	QueuePolicy string `json:"queuePolicy,omitempty"`
	Simple      bool   `json:"simple,omitempty"`
}

type Logging struct {
	Debug  bool `json:"debug,omitempty"`
	Quiet  bool `json:"quiet,omitempty"`
	Strict bool `json:"strict,omitempty"`
	Timed  bool `json:"timed,omitempty"`
	Zeromq bool `json:"zeromq,omitempty"`
}

type Network struct {
	DisableAffinity bool   `json:"disableAffinity,omitempty"`
	HeadlessName    string `json:"headlessName,omitempty"`
}

type Pod struct {
	Annotations        map[string]string           `json:"annotations,omitempty"`
	Labels             map[string]string           `json:"labels,omitempty"`
	NodeSelector       map[string]string           `json:"nodeSelector,omitempty"`
	RestartPolicy      string                      `json:"restartPolicy,omitempty"`
	SchedulerName      string                      `json:"schedulerName,omitempty"`
	ServiceAccountName string                      `json:"serviceAccountName,omitempty"`
	Resources          corev1.ResourceRequirements `json:"resources,omitempty"`
	SecurityContext    *corev1.PodSecurityContext  `json:"securityContext,omitempty"`
	Tolerations        []corev1.Toleration         `json:"tolerations,omitempty"`
}

// DeepCopyObject is what controller-gen would generate: controller-runtime copies each object.
func (in *MiniCluster) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.JobLabels = maps.Clone(in.Spec.JobLabels)
	out.Spec.Containers = copied(in.Spec.Containers)
	out.Spec.Services = copied(in.Spec.Services)
	out.Spec.Flux.Environment = maps.Clone(in.Spec.Flux.Environment)
	in.Spec.Flux.Container.Resources.DeepCopyInto(&out.Spec.Flux.Container.Resources)
	pod := &out.Spec.Pod
	pod.Annotations = maps.Clone(in.Spec.Pod.Annotations)
	pod.Labels = maps.Clone(in.Spec.Pod.Labels)
	pod.NodeSelector = maps.Clone(in.Spec.Pod.NodeSelector)
	in.Spec.Pod.Resources.DeepCopyInto(&pod.Resources)
	pod.SecurityContext = in.Spec.Pod.SecurityContext.DeepCopy()
	pod.Tolerations = slices.Clone(in.Spec.Pod.Tolerations)
	return &out
}

func copied(in []Container) []Container {
	out := slices.Clone(in)
	for i := range out {
		out[i].Environment = maps.Clone(in[i].Environment)
		out[i].Volumes = maps.Clone(in[i].Volumes)
		out[i].Ports = slices.Clone(in[i].Ports)
		in[i].Resources.DeepCopyInto(&out[i].Resources)
		out[i].SecurityContext = in[i].SecurityContext.DeepCopy()
	}
	return out
}
