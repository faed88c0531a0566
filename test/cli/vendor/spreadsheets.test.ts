import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { running } from "../../emulator/running.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { spotloopOf, spotloopWith } from "./spotloop.ts";

/** What a dry run makes of a table of locations or screens that somebody's spreadsheet wrote. */
async function readBack(what: "locations" | "screens", text: string) {
  const file = join(temporaryFolder(), "file.csv");
  writeFileSync(file, text);
  const shown = await spotloopOf(await running())([what, "apply", file, "--dry-run", "--json"]);
  const { plan, failed } = JSON.parse(shown.stdout) as {
    readonly plan: readonly { readonly fields: object }[];
    readonly failed: readonly { readonly where: string; readonly problem: string }[];
  };
  const line = (where: string) => where.slice(file.length + 1);
  return {
    fields: plan.map(({ fields }) => fields),
    failed: failed.map(({ where, problem }) => `${line(where)}: ${problem}`),
  };
}

describe("a table as spreadsheets write it", () => {
  it("may have rows without their last cells, which are empty, and none with more than its header", async () => {
    const rows = ["id,title,email,phone", "gym-1,Gym", "gym-2,Gym 2,a@b.example", "gym-3,Gym 3,,1,", "gym-4"];
    expect(await readBack("locations", rows.join("\r\n"))).toEqual({
      fields: [
        { location_id: "gym-1", title: "Gym" },
        { location_id: "gym-2", title: "Gym 2", email: "a@b.example" },
      ],
      failed: ["4: has more values than the header has names", "5: title: is missing"],
    });
  });

  it.each([
    ["Windows", "\r\n"],
    ["Unix", "\n"],
    ["the first Macs", "\r"],
  ])("is told of by its own lines, with cells of several lines between those of %s", async (_, end) => {
    const rows = ["id;title;open", `gym-1;"Gym${end}hall${end}two";"mon 8-9,tue 8-9,wed 8-9"`, "gym-2;", "gym-3;Gym;x"];
    const { fields, failed } = await readBack("locations", rows.join(end) + end);
    expect([fields.length, failed.map((line) => line.split(":")[0])]).toEqual([1, ["5", "6"]]);
  });

  it.each([
    [
      "a workbook: xlsx, ods or numbers",
      "PK\u0003\u0004\u0014\u0000\u0006",
      "is a spreadsheet's own file; export it as CSV",
    ],
    ["a workbook: xls", "\u00d0\u00cf\u0011\u00e0\u0006", "is a spreadsheet's own file; export it as CSV"],
    ["what an export that failed leaves", "", "is empty"],
    ["nothing but ends of lines", "\u00ef\u00bb\u00bf\r\n\r\n", "is empty"],
  ])("is not %s", async (_, text, problem) => {
    const file = join(temporaryFolder(), "screens.csv");
    writeFileSync(file, Buffer.from(text, "latin1"));
    const spotloop = spotloopWith({ SPOTLOOP_BASE_URL: "http://127.0.0.1:1", SPOTLOOP_ORG_TOKEN: "org_demo" });
    expect(await spotloop(["screens", "apply", file])).toEqual({
      ...{ code: 65, stdout: "", stderr: `${file}: ${problem}\n` },
    });
  });

  it.each(["5,000", "5.000", "1.005.000"])("has no number that is another one elsewhere: %s", async (number) => {
    const rows = ["id;title;location;venue-type;size;loop;imps-weekly", `a;A;loc_harbour;101;1x1;60;${number}`];
    expect(await readBack("screens", rows.join("\n"))).toEqual({
      fields: [],
      failed: [`2: imps-weekly: must be a number without marks in between, and is "${number}"`],
    });
  });
});
