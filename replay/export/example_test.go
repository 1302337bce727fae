package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/export"
)

// Two arrays of each iteration, in a file that NumPy reads.
func ExampleNPZ() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "export")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 2}, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := export.NPZ(ctx, []*replay.Run{run}, export.Options{Only: []string{"S", "policy"}}, &file); err != nil {
		log.Fatal(err)
	}
	arrays, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, array := range arrays.File {
		fmt.Println(array.Name)
	}
	err = export.NPZ(ctx, []*replay.Run{run}, export.Options{Only: []string{"colour"}}, io.Discard)
	fmt.Println(errors.Is(err, export.ErrNoPart))
	// Output:
	// 0/S.npy
	// 0/policy.npy
	// 1/S.npy
	// 1/policy.npy
	// podtrack.json.npy
	// true
}
