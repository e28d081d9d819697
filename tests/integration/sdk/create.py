"""Creates a MiniCluster as users of the public Python SDK do: create.py KUBECONFIG NAMESPACE NAME.

Its model of a security context has a field that Kubernetes does not have (add_capabilities).
"""
import sys

from fluxoperator import models
from kubernetes import client, config

kubeconfig, namespace, name = sys.argv[1:]
config.load_kube_config(kubeconfig)
container = models.MiniClusterContainer(
    image="ubuntu:noble",
    command="hostname",
    run_flux=True,
    security_context=models.SecurityContext(privileged=False, add_capabilities=["SYS_PTRACE"]),
)
minicluster = models.MiniCluster(
    api_version="flux-framework.org/v1alpha2",
    kind="MiniCluster",
    metadata=client.V1ObjectMeta(name=name, namespace=namespace),
    spec=models.MiniClusterSpec(size=2, containers=[container]),
)
client.CustomObjectsApi().create_namespaced_custom_object(
    group="flux-framework.org",
    version="v1alpha2",
    namespace=namespace,
    plural="miniclusters",
    body=minicluster,
)
