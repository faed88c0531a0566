import { title } from "../script-modules/title.js";

postMessage(title.startsWith("Two") ? "#d9ed92" : "#c1121f");
