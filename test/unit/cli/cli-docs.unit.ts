import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

import type { CliContext } from '../../../cli/common/context.js';
import { runCli } from '../../../cli/program.js';
import { commandsFor } from '../../../core/model/commands.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
/** A command, up to the end of its code span or line. */
const WRITTEN = /(?:npx |`|exec application )hatif((?: [^`\n|#]*)?)/g;
const WORD = /^[a-z][a-z-]*$/;

async function documents(): Promise<string[]> {
  const found = await readdir(join(ROOT, 'docs'), { recursive: true });
  // Decisions describe the commands of their time.
  const pages = found.filter((name) => name.endsWith('.md') && !name.startsWith('adr'));
  return ['README.md', 'README.ar.md', ...pages.map((name) => join('docs', name))].map((name) => join(ROOT, name));
}

/** Help of a command, or of the group that an unknown command would be in. */
class Help {
  readonly #known = new Map<string, Promise<string>>();

  of(words: readonly string[]): Promise<string> {
    const key = words.join(' ');
    const text = this.#known.get(key) ?? read(words);
    this.#known.set(key, text);
    return text;
  }

  /** The beginning of the words that is a command or a group; null if the next word should be one, too. */
  async command(words: readonly string[]): Promise<readonly string[] | null> {
    const found: string[] = [];
    for (const word of words) {
      const usage = /^Usage: npx hatif ([^[<]*)/.exec(await this.of([...found, word]))?.[1] ?? '';
      // The alias of a group is shown beside its name.
      const shown = usage.trim().split(' ');
      const [name = '', ...aliases] = shown.at(-1)?.split('|') ?? [];
      if (shown.length !== found.length + 1 || ![name, ...aliases].includes(word)) {
        const isGroup = found.length === 0 || /^Commands:/m.test(await this.of(found));
        return isGroup ? null : found;
      }
      found.push(name);
    }
    return found;
  }
}

async function read(words: readonly string[]): Promise<string> {
  const lines: string[] = [];
  const context = {
    version: '0',
    commands: commandsFor(undefined),
    output: (json: boolean) => ({
      json,
      out: (line: string) => lines.push(line),
      note: (line: string) => lines.push(line),
    }),
  } as unknown as CliContext;
  await runCli([...words, '--help'], context);
  return lines.join('\n');
}

async function faultsOf(text: string, help: Help): Promise<string[]> {
  const faults: string[] = [];
  for (const [, rest = ''] of text.matchAll(WRITTEN)) {
    const tokens = rest.trim().split(/\s+/);
    const end = tokens.findIndex((token) => !WORD.test(token));
    const words = tokens.slice(0, Math.min(3, end === -1 ? tokens.length : end));
    const command = await help.command(words);
    if (command === null) {
      faults.push(`hatif${rest}: no such command`);
      continue;
    }
    const shown = await help.of(command);
    const options = (rest.match(/--[a-z][a-z-]*/g) ?? []).filter((option) => !shown.includes(`${option} `));
    faults.push(
      ...options.filter((option) => option !== '--help').map((option) => `hatif${rest}: no option ${option}`),
    );
  }
  return faults;
}

describe('commands in the documents', function () {
  this.timeout(60_000);
  const help = new Help();

  it('exist, with their options', async () => {
    for (const file of await documents()) {
      expect(await faultsOf(await readFile(file, 'utf8'), help), relative(ROOT, file)).to.deep.equal([]);
    }
  });

  it('would be reported if they did not', async () => {
    const text =
      'Run `npx hatif calls lst`, `hatif flow add x.json --bind 1`, `npx hatif caps set --week 3` or `hatif nap`.';
    expect(await faultsOf(text, help)).to.deep.equal([
      'hatif calls lst: no such command',
      'hatif caps set --week 3: no option --week',
      'hatif nap: no such command',
    ]);
  });
});
