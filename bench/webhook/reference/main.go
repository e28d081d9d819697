// A webhook for MiniClusters on controller-runtime, which minicluster-webhook is compared with.
// Usage: reference PORT FOLDER, where FOLDER has tls.crt and tls.key.
package main

import (
	"os"
	"strconv"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

func main() {
	if err := serve(); err != nil {
		println(err.Error())
		os.Exit(1)
	}
}

func serve() error {
	ctrl.SetLogger(logr.Discard())
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(groupVersion.WithKind("MiniCluster"), &MiniCluster{})
	server := webhook.NewServer(webhook.Options{Host: "127.0.0.1", Port: port, CertDir: os.Args[2]})
	server.Register("/mutate", admission.WithCustomDefaulter(scheme, &MiniCluster{}, rules{}))
	server.Register("/validate", admission.WithCustomValidator(scheme, &MiniCluster{}, rules{}))
	return server.Start(ctrl.SetupSignalHandler())
}
