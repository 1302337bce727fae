import { render } from "preact";
import { ahead, App } from "./app";
import { leadBelow } from "./base";
import { listen } from "./events";
import { followLinks } from "./router";
import { start } from "./theme";
import "./style/palette.css";
import "./style/base.css";
import "./style/table.css";
import "./style/parts.css";
import "./style/charts.css";
import "./style/print.css";

start();
leadBelow();
followLinks();
listen();
render(<App />, document.getElementById("page")!);
ahead();
