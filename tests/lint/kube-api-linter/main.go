// The default rules of kube-api-linter, without golangci-lint around them. waivers.txt has the
// findings that stay.
package main

import (
	_ "embed"
	"log"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/multichecker"
	_ "k8s.io/apimachinery/pkg/apis/meta/v1" // for the types that it reads
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration"
)

//go:embed waivers.txt
var waivers string

// Rules about how Go spells a type, which here a script chooses (crd_types.py).
var aboutGo = []string{"commentstart", "optionalfields", "requiredfields"}

// What the rule says of types in the tree of Kubernetes only, and of the order in a struct.
var options = config.LintersConfig{"conditions": map[string]any{
	"isFirstField":     "Ignore",
	"usePatchStrategy": "Ignore",
	"useProtobuf":      "Ignore",
}}

func waived(rule, message string) bool {
	for line := range strings.Lines(waivers) {
		words := strings.Fields(line)
		if len(words) > 2 && words[0] == rule && strings.Contains(message+" ", words[1]+" ") {
			return true
		}
	}
	return false
}

func main() {
	analyzers, err := registry.DefaultRegistry().InitializeLinters(config.Linters{Disable: aboutGo}, options)
	if err != nil {
		log.Fatal(err)
	}
	for _, one := range analyzers {
		run := one.Run
		one.Run = func(pass *analysis.Pass) (any, error) {
			kept := *pass
			kept.Report = func(found analysis.Diagnostic) {
				if !waived(one.Name, found.Message) {
					found.Message = one.Name + ": " + found.Message
					pass.Report(found)
				}
			}
			return run(&kept)
		}
	}
	multichecker.Main(analyzers...)
}
