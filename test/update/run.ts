import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gapWithin } from "../boot/gap.ts";
import { type Step, StepFailed, Steps, until } from "../boot/steps.ts";
import { type ChaosNetwork, startNetwork } from "../chaos/network.ts";
import { boot } from "./container.ts";
import { Kiosk } from "./kiosk.ts";
import { openRepository, type Repository } from "./repository.ts";
import { makeRoot } from "./root.ts";
import { laterVersion, type Packages, provesNothing, withMigration } from "./versions.ts";

export interface UpdateRun {
  /** An empty folder. */
  readonly folder: string;
  /** Where later versions of the packages are made, and taken where an earlier run has made them. */
  readonly versions: string;
  /** The built packages, the player's first. */
  readonly packages: () => Promise<readonly string[]>;
  /** How long an upgrade has to prove, seconds. */
  readonly withinS: number;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

const MADE_WITHIN_MS = 30 * 60_000;
const STEP_MS = 20 * 60_000;
/** From the last picture of the old version to the first of the new one. */
const RESTARTED_WITHIN_S = 10;
const [FIRST, ADDS, LIES, NEXT, STAGED] = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"] as const;
const ADDITION = "{ addition: 'alter table proof add column later text' }";
/** A column in another place: of no use to a version that does not know it. */
const REBUILD = `'alter table proof rename column last_answer to answer_before; alter table proof add column last_answer text;' +
  'update proof set last_answer = answer_before'`;

/** Takes a kiosk through upgrades as they come out of a repository. Ends at the first step that fails. */
export async function runUpdateTest(options: UpdateRun): Promise<readonly Step[]> {
  const { folder, progress, signal } = options;
  const steps = new Steps(folder, progress, signal);
  const network = await startNetwork(1);
  let repository: Repository | null = null;
  let kiosk: Kiosk | null = null;
  try {
    const versions = await makeVersions(steps, options);
    repository = await openRepository(join(folder, "repository"), signal);
    const root = join(folder, "root");
    const { withinS } = options;
    await steps.take("a kiosk with the first version", MADE_WITHIN_MS, async (ending) => {
      const [packages] = versions;
      if (packages === undefined || repository === null) throw new Error("no packages");
      await makeRoot({ folder: root, packages, network, repository, withinS, signal: ending, progress });
      return packages.version;
    });
    const start = async () => new Kiosk(await boot(root, join(folder, "console.log"), signal));
    kiosk = await start();
    await live(steps, kiosk, repository, versions, network);
    kiosk = await cutShort(steps, kiosk, repository, versions, start);
    await refuse(steps, kiosk, repository);
    await stage(steps, kiosk, repository, versions);
    return steps.all;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    const journal = "journalctl --no-pager -b | tail -n 20000";
    writeFileSync(join(folder, "journal.txt"), await (kiosk?.machine.run(journal).catch(String) ?? ""));
    return steps.all;
  } finally {
    await kiosk?.machine.cutPower();
    repository?.close();
    await network.stop();
  }
}

function makeVersions(steps: Steps, { packages, versions }: UpdateRun): Promise<readonly Packages[]> {
  const changes = [
    { version: FIRST },
    { version: ADDS, edit: withMigration(ADDITION) },
    {
      version: LIES,
      edit(app: string) {
        withMigration(`${ADDITION}, ${REBUILD}`)(app);
        provesNothing(app);
      },
    },
    { version: NEXT, edit: withMigration(ADDITION) },
    { version: STAGED, edit: withMigration(ADDITION) },
  ];
  return steps.find(
    "the packages of five versions",
    MADE_WITHIN_MS,
    async (signal) => {
      const built = await packages();
      const made: Packages[] = [];
      mkdirSync(versions, { recursive: true });
      for (const change of changes) made.push(await laterVersion(built, change, versions, signal));
      return made;
    },
    (made) => made.map(({ version }) => version).join(", "),
  );
}

function filesOf(versions: readonly Packages[], version: string): readonly string[] {
  return versions.find((one) => one.version === version)?.files ?? [];
}

async function live(
  steps: Steps,
  kiosk: Kiosk,
  repository: Repository,
  versions: readonly Packages[],
  network: ChaosNetwork,
): Promise<void> {
  const bring = async (version: string) => {
    await repository.publish("canary", ...filesOf(versions, version));
    await repository.publish("stable", version);
  };
  await steps.take("the first version shows and proves", STEP_MS, async (signal) => {
    return `${await kiosk.proves(FIRST, signal)} proofs delivered`;
  });
  await steps.take("an upgrade that proves stays", STEP_MS, async (signal) => {
    await bring(ADDS);
    await kiosk.upgrade();
    const state = await kiosk.phase("proved", signal);
    if ((await kiosk.version()) !== ADDS) throw new Error("it did not stay");
    return `${await gapWithin(RESTARTED_WITHIN_S, kiosk.machine)}; ${state}`;
  });
  await steps.take("one that proves nothing goes back by itself, offline", STEP_MS, async (signal) => {
    await kiosk.proves(ADDS, signal);
    await bring(LIES);
    await kiosk.upgrade();
    await kiosk.phase("trial", signal);
    const owed = await until(signal, async () => {
      const health = await kiosk.health().catch(() => null);
      return health?.versions.spotloop === LIES && health.proofs.owed > 0 ? health.proofs.owed : null;
    });
    const served = join(repository.folder, "public");
    renameSync(served, `${served}.off`);
    const state = await kiosk.phase("rolled-back", signal).finally(() => renameSync(`${served}.off`, served));
    if ((await kiosk.version()) !== ADDS) throw new Error("it did not go back");
    return `${owed} owed under ${LIES}; ${state}`;
  });
  await steps.take("the older version proves what the newer one owed, and plays on", STEP_MS, async (signal) => {
    await kiosk.proves(ADDS, signal);
    const kept = await kiosk.machine.run("ls /var/lib/spotloop/quarantine/");
    const taken = await kiosk.machine.run("grep -ho 'owed\":[0-9]*.*taken over' /var/lib/spotloop/logs/* | head -n 1");
    const violations = (await network.audit()).map(({ violation }) => violation);
    if (!/owed":[1-9]/.test(taken)) throw new Error(`nothing was taken over: ${taken}`);
    return `${taken}; kept: ${kept.replaceAll("\n", " ")}; the network has ${violations.length} complaints`;
  });
  await steps.take("it says so, and the bad version does not come again", STEP_MS, async (signal) => {
    await kiosk.upgrade();
    if ((await kiosk.version()) !== ADDS) throw new Error("it came again");
    const metric = await kiosk.metric("spotloop_upgrade_taken_back");
    if (metric !== "spotloop_upgrade_taken_back 1") throw new Error(`the metric says: ${metric}`);
    const doctor = await kiosk.machine.run("spotloop doctor 2>&1 | grep -A2 ' upgrade ' || true");
    if (!doctor.includes(`${LIES} did not prove`)) throw new Error(`the doctor says: ${doctor}`);
    const journal = await kiosk.machine.run(
      "journalctl --no-pager -o cat -u spotloop-update-guard | grep 'taken back'",
    );
    signal.throwIfAborted();
    return [metric, doctor.split("\n")[0], journal.split("\n").at(-1)].join("\n");
  });
}

/** An upgrade in the midst of which everything ends. */
async function cutShort(
  steps: Steps,
  kiosk: Kiosk,
  repository: Repository,
  versions: readonly Packages[],
  start: () => Promise<Kiosk>,
): Promise<Kiosk> {
  await repository.publish("canary", ...filesOf(versions, NEXT));
  await repository.publish("stable", NEXT);
  return steps.find(
    "an upgrade that the power cuts short is completed at the next start, and proves",
    STEP_MS,
    async (signal) => {
      const upgrading = kiosk.upgrade().catch(() => "");
      await until(
        signal,
        async () => {
          const said = await kiosk.machine.run("dpkg-query -W -f '\x24{db:Status-Abbrev}' spotloop || true");
          return said.startsWith("ii") ? null : said;
        },
        50,
      );
      await kiosk.machine.cutPower();
      await upgrading;
      const again = await start();
      await again.phase("proved", signal);
      if ((await again.version()) !== NEXT) throw new Error("it was not completed");
      return again;
    },
    () => `${NEXT} is whole`,
  );
}

/** What a repository that somebody has changed comes to. */
async function refuse(steps: Steps, kiosk: Kiosk, repository: Repository): Promise<void> {
  const served = join(repository.folder, "public");
  const tampered = (name: string, tamper: () => void, command: string, complaint: RegExp) =>
    steps.take(name, STEP_MS, async () => {
      const whole = `${repository.folder}/whole`;
      cpSync(`${served}/`, whole, { recursive: true, dereference: true });
      try {
        tamper();
        const said = await kiosk.machine.run(`${command}; echo "ended with $?"`);
        const line = said.split("\n").find((one) => complaint.test(one));
        if (line === undefined || said.endsWith("ended with 0")) throw new Error(`apt took it: ${said}`);
        return line;
      } finally {
        for (const part of ["dists", "pool"]) {
          rmSync(join(served, part), { recursive: true });
          cpSync(join(whole, part), join(served, part), { recursive: true });
        }
        rmSync(whole, { recursive: true });
      }
    });
  const lists = "rm -rf /var/lib/apt/lists/*; apt-get update --error-on=any";
  const list = join(served, "dists/stable/main/binary-amd64/Packages");
  const packed = () => {
    for (const name of readdirSync(join(list, "..")).filter((one) => one !== "Packages" && one.startsWith("Packages")))
      rmSync(join(list, "..", name));
  };
  const release = join(served, "dists/stable/InRelease");
  await tampered(
    "a changed list of packages is refused",
    () => {
      packed();
      writeFileSync(list, readFileSync(list, "utf8").replace(/^SHA256: .*/m, `SHA256: ${"0".repeat(64)}`));
    },
    lists,
    /Hash Sum mismatch|File has unexpected size|unexpected/i,
  );
  await tampered(
    "a changed signature is refused",
    () => writeFileSync(release, readFileSync(release, "utf8").replace("Origin: Spotloop", "Origin: Elsewhere")),
    lists,
    /BADSIG|signatures were invalid|not signed/,
  );
  await tampered(
    "a changed package is refused",
    () => {
      const deb = readdirSync(join(served, "pool"), { recursive: true, encoding: "utf8" });
      for (const name of deb.filter((one) => one.endsWith(".deb"))) appendFileSync(join(served, "pool", name), "more");
    },
    "apt-get -qq update; apt-get clean; cd /tmp && apt-get download spotloop",
    /unexpected size|Hash Sum mismatch/,
  );
}

const MACHINES = 200;

/** A version that comes to a share of the machines, and what it takes to go back by hand. */
async function stage(steps: Steps, kiosk: Kiosk, repository: Repository, versions: readonly Packages[]): Promise<void> {
  await steps.take(
    "a staged version comes to its share of machine ids, and to more of them later",
    STEP_MS,
    async () => {
      await repository.publish("canary", ...filesOf(versions, STAGED));
      const shares: string[] = [];
      let before = new Set<string>();
      for (const percent of [0, 25, 60, 100]) {
        await repository.publish("stable", STAGED, String(percent));
        await kiosk.machine.run("apt-get -qq update");
        const script = `for n in $(seq ${MACHINES}); do id=$(printf %s $n | md5sum | cut -c1-32);
        apt-get -o APT::Machine-ID=$id -s dist-upgrade | grep -q '^Inst spotloop-kiosk .*${STAGED}' && echo $n; done; true`;
        const takers = new Set((await kiosk.machine.run(script, STEP_MS)).split("\n").filter((one) => one !== ""));
        if ([...before].some((one) => !takers.has(one)))
          throw new Error(`at ${percent} % a machine is out that was in`);
        before = takers;
        shares.push(`${percent} %: ${takers.size} of ${MACHINES}`);
        const expected = (percent / 100) * MACHINES;
        if (Math.abs(takers.size - expected) > MACHINES * 0.1) throw new Error(shares.join(", "));
      }
      return shares.join(", ");
    },
  );
  await steps.take(
    "an older version is installed by hand, and goes on in the store of the newer one",
    STEP_MS,
    async (signal) => {
      const files = filesOf(versions, FIRST);
      const [player = "", kioskDeb = ""] = files;
      await kiosk.machine.run("rm -rf /tmp/older; mkdir /tmp/older");
      for (const [from, to] of [
        [player, "spotloop.deb"],
        [kioskDeb, "spotloop-kiosk.deb"],
      ] as const) {
        cpSync(from, join(repository.folder, "public", to));
        await kiosk.machine.run(`curl --silent --fail --output /tmp/older/${to} ${repository.url}${to}`);
      }
      const before = (await kiosk.health())?.proofs.delivered ?? 0;
      await kiosk.machine.run("apt-get install --yes --allow-downgrades /tmp/older/*.deb", STEP_MS);
      const delivered = await kiosk.proves(FIRST, signal, before);
      return `${before} proofs delivered before, ${delivered} after`;
    },
  );
}
