// The views with charts. They are a file of their own, so that the list of runs is
// there before the charts are.

export { CompareView } from "./pages/compare";
export { EvaluationView } from "./pages/evaluation";
export { GroupView } from "./pages/group";
export { LineageView } from "./pages/lineage";
export { NumberedOption, OptionView } from "./pages/option";
export { RunView } from "./pages/run";
export { StudyView } from "./pages/study";
export { Table1View } from "./pages/table1";
