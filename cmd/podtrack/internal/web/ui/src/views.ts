// The views of what a run, several runs or a study have. They are a file of their own, so that the list of runs is
// there before they are.

export { CompareView } from "./pages/compare";
export { GroupView } from "./pages/group";
export { NumberedOption, OptionView } from "./pages/option";
export { RunView } from "./pages/run";
export { StudyView } from "./pages/study";
