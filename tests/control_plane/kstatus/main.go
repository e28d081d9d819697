// Command kstatus prints what sigs.k8s.io/cli-utils, by which Helm 4, Flux CD and other tools wait,
// says of each object on standard input (JSON, one after another):
//
//	STATUS: MESSAGE
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("kstatus: ")
	for in := json.NewDecoder(os.Stdin); ; {
		var text json.RawMessage
		err := in.Decode(&text)
		if errors.Is(err, io.EOF) {
			return
		}
		var object unstructured.Unstructured
		if err == nil {
			err = object.UnmarshalJSON(text)
		}
		if err != nil {
			log.Fatal(err)
		}
		result, err := status.Compute(&object)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", result.Status, result.Message)
	}
}
