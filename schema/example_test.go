package schema_test

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// What a spec decides is set by the name that it has on the command line. Another name is an error.
func ExampleSpec_Set() {
	spec := pod.PaperSpec()
	fmt.Println(spec.Set("kappa", "2"), spec.Set("select", "top=4"))
	fmt.Println(spec.Env.Name, spec.Kappa, spec.Select)
	err := spec.Set("kapa", "3")
	fmt.Println(errors.Is(err, schema.ErrSpec), err)
	// Output:
	// <nil> <nil>
	// ring 2 top=4
	// true invalid spec: no field "kapa"
}
