package documents

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
)

// A stageRequest is what podtrack asks the program of a stage, as far as [answerStages] reads it.
type stageRequest struct {
	ID, K, First, Steps int
	Do                  string
	Stages, Features    []string
	Sigma, W            []float64
}

// answerStages is a program that is every stage of a run. Its measure counts on from its argument; if that is no
// number, it ends where it is asked to measure iteration 1.
func answerStages() {
	for requests := json.NewDecoder(os.Stdin); ; {
		var r stageRequest
		if requests.Decode(&r) != nil {
			return
		}
		answer := answerStage(r)
		answer["id"] = r.ID
		document, _ := json.Marshal(answer) // of texts and finite numbers
		fmt.Println(string(document))
	}
}

func answerStage(r stageRequest) map[string]any {
	switch r.Do {
	case "hello":
		return map[string]any{"protocol": 1, "stages": declareStages(r.Stages)}
	case "collect":
		taken := make([]int, r.Steps) // five steps to, five fro
		for i := range taken {
			taken[i] = (r.First + i) / 5 % 2
		}
		return map[string]any{"taken": taken}
	case "method":
		sigma, axes := make([]float64, len(r.Features)), make([][]float64, len(r.Features))
		for i := range sigma {
			sigma[i], axes[i] = float64(len(sigma)-i), make([]float64, len(sigma))
			axes[i][i] = 1
		}
		return map[string]any{"sigma": sigma, "vectors": axes}
	case "select":
		keep := make([]bool, len(r.Sigma))
		for i, sigma := range r.Sigma {
			keep[i] = sigma > 2
		}
		return map[string]any{"keep": keep}
	case "learn":
		return map[string]any{"values": make([]float64, len(r.W))}
	case "measure":
		first, err := strconv.Atoi(os.Args[1])
		if err != nil && r.K == 1 {
			os.Exit(1)
		}
		return map[string]any{"measures": map[string]int{"score": first + r.K}}
	}
	return map[string]any{}
}

func declareStages(names []string) map[string]any {
	declared := map[string]any{}
	for _, name := range names {
		stage := map[string]any{"name": "outside", "version": "1", "params": map[string]string{"p": "1"}}
		switch name {
		case "learner":
			stage["learns"], stage["model"] = "values", "own"
		case "measure":
			stage["measures"] = []string{"score"}
		}
		declared[name] = stage
	}
	return declared
}
