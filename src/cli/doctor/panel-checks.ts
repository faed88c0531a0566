import { type Connector, connectorReading, truthOf, truthText } from "../../core/display-truth.ts";
import { systemClock } from "../../player/clock.ts";
import type { Environment } from "../../player/config/environment.ts";
import { readConnectors } from "../../player/displays/connectors.ts";
import { DisplaySurvey } from "../../player/displays/display-survey.ts";
import { type Run, runProgram } from "../../player/displays/run-program.ts";
import { type Finding, fine, warning } from "./finding.ts";

/** What is asked instead of this machine's own kernel, devices and programs; by tests. */
export interface PanelSources {
  readonly run?: Run;
  readonly drmFolder?: string;
  readonly cecFolder?: string;
}

/** Whether each display that is connected is on, as far as something says so, and what says it. */
export async function panelFindings(env: Environment, sources: PanelSources = {}): Promise<Finding[]> {
  const connected = (await readConnectors(sources.drmFolder)).filter(({ status }) => status === "connected");
  if (connected.length === 0) return [fine("panel", "unknown: the kernel tells of no display that is connected")];
  const session = env.WAYLAND_DISPLAY ? "wayland" : env.DISPLAY ? "x11" : "none";
  const survey = new DisplaySurvey({ run: runProgram, clock: systemClock(null), session, ...sources });
  await survey.readKernel("all");
  await survey.ask(connected);
  return connected.map((connector) => panelFinding(connector, survey));
}

function panelFinding(connector: Connector, survey: DisplaySurvey): Finding {
  const told = connectorReading(connector);
  const truth = truthOf([...(told === null ? [] : [told]), ...survey.truthOf(connector).by]);
  const text = `${connector.name} ${truthText(truth)}`;
  switch (truth.state) {
    case "on":
      return fine("panel", text);
    case "off":
      return warning("panel", text, "Nothing is proved on a display that is off: switch it on.");
    case "unknown":
      return fine("panel", `${text}: neither CEC (cec-ctl) nor DDC/CI (ddcutil) tells`);
  }
}
