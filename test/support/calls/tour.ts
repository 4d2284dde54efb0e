import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../eventually.js';
import { embeddedSettings, type ProcessSettings } from '../platform/platform-process.js';
import { COMMAND } from '../platform/programs.js';
import { ProcessStage } from '../stages/process-stage.js';

const AGAIN_MS = 500;

/**
 * Follows the examples of the README and of the recipes: a platform in a new folder, on other ports than the default
 * ones, and a terminal there.
 */
export class Tour {
  readonly #others: Terminal[] = [];
  #blocks: readonly string[] = [];
  #typed = 0;

  private constructor(
    readonly folder: string,
    readonly stage: ProcessStage,
    private readonly terminal: Terminal,
  ) {}

  /** @param settings of the platform, for examples that need others than the default ones */
  static async start(settings: ProcessSettings = {}): Promise<Tour> {
    const folder = await mkdtemp(join(tmpdir(), 'hatif-tour-'));
    // PostgreSQL's own user must be able to enter the data folder; otherwise its data would be kept elsewhere.
    await chmod(folder, 0o755);
    const stage = await ProcessStage.start({ ...(await embeddedSettings(join(folder, '.hatif'))), ...settings });
    const tour = new Tour(folder, stage, new Terminal(folder));
    await tour.run(NPX);
    for (const block of blocksOf('terminal')) await tour.run(block);
    return tour;
  }

  /** Begins an example. @param name in the markers of its blocks @param page the document, by default the README */
  begin(name: string, page?: string): void {
    this.#blocks = blocksOf(name, page);
    this.#typed = 0;
  }

  /** The number of blocks of the example that have not been typed yet. */
  get left(): number {
    return this.#blocks.length - this.#typed;
  }

  /**
   * Types the next block.
   * @param seen real values by the example values that they replace
   * @returns the output
   */
  async next(seen: Readonly<Record<string, string>> = {}): Promise<string> {
    return this.run(this.#take(seen));
  }

  /**
   * Types the next block in a terminal of its own, where it may run until the end.
   * @param seen as for {@link next}
   * @returns reads the output so far
   */
  async elsewhere(seen: Readonly<Record<string, string>> = {}): Promise<() => string> {
    const other = new Terminal(this.folder);
    this.#others.push(other);
    await other.run(NPX);
    void other.run(this.#take(seen));
    return () => other.said;
  }

  #take(seen: Readonly<Record<string, string>> = {}): string {
    let block = this.#blocks[this.#typed];
    if (block === undefined) throw new Error('the example has no more blocks');
    this.#typed += 1;
    for (const [example, real] of Object.entries(seen)) {
      if (!block.includes(example)) throw new Error(`the block does not show ${example} any more`);
      block = block.replaceAll(example, real);
    }
    return block;
  }

  /** Types other commands. */
  run(commands: string): Promise<string> {
    return this.terminal.run(commands);
  }

  /** Repeats the commands, within the API's rate limit, until the output has `said`. @returns that output */
  until(commands: string, said: string, limitMs?: number): Promise<string> {
    return eventually(
      async () => {
        const answer = await this.run(commands);
        if (answer.includes(said)) return answer;
        await pause(AGAIN_MS);
        return null;
      },
      `${commands} prints ${said}`,
      limitMs,
    );
  }

  async close(): Promise<void> {
    for (const terminal of [this.terminal, ...this.#others]) terminal.close();
    await this.stage.close();
    await rm(this.folder, { recursive: true });
  }
}

/** The clone of a reader has the package `hatif` for npx; here the command runs on the same folder without it. */
const NPX = `npx() { shift; '${process.execPath}' $([ -f .env ] && echo --env-file=.env) '${COMMAND}' "$@" 2>&1; }`;

function blocksOf(name: string, page = 'README.md'): readonly string[] {
  const marked = new RegExp(`<!-- tour: ${name} -->\\n\`\`\`sh\\n(.*?)\`\`\``, 'gs');
  const blocks = [...readFileSync(page, 'utf8').matchAll(marked)].map(([, commands = '']) => commands);
  if (blocks.length === 0) throw new Error(`${page} has no example ${name}`);
  return blocks;
}

/** A shell whose commands come from the test. */
class Terminal {
  readonly #shell;
  #said = '';
  #typed = 0;

  constructor(folder: string) {
    // A process group of its own: the programs that run in it end with it.
    this.#shell = spawn('bash', ['--norc'], { cwd: folder, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
    this.#shell.stdout.setEncoding('utf8').on('data', (text: string) => (this.#said += text));
  }

  /** The output since the last commands were typed. */
  get said(): string {
    return this.#said;
  }

  /** Resolves with the output of the commands when the last one has finished. */
  async run(commands: string): Promise<string> {
    const end = `--- ${(this.#typed += 1)} ---\n`;
    this.#said = '';
    this.#shell.stdin.write(`${commands}\necho '${end.trim()}'\n`);
    while (!this.#said.endsWith(end)) await once(this.#shell.stdout, 'data');
    return this.#said.slice(0, -end.length);
  }

  close(): void {
    process.kill(-this.#shell.pid!);
  }
}
