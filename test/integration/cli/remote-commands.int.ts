import { expect } from 'chai';
import type { Command } from 'commander';
import { LOCAL_COMMANDS } from '../../../cli/common/local-commands.js';
import { programOf, wordsOf } from '../../../cli/program.js';
import { openCommandLine } from '../../../main/command/command-line.js';
import { readSettings } from '../../../config/read-settings.js';
import { COMMANDS, WITH_A_KEY } from '../../support/remote/command-table.js';
import { Side } from '../../support/remote/side.js';

/** The words of every command, without the groups. */
function leavesOf(command: Command): string[] {
  return command.commands.length === 0 ? [wordsOf(command)] : command.commands.flatMap(leavesOf);
}

const every = (): string[] =>
  leavesOf(programOf(openCommandLine(readSettings({}), new AbortController().signal))).filter(
    (words) => words !== 'help',
  );

describe('hatif --url', function () {
  this.timeout(120_000);

  it('has every command in the table of the next test, unless the command is local or needs a key', () => {
    const lines = COMMANDS.map(({ line }) => line);
    const tried = every().filter((words) => lines.some((line) => `${line} `.startsWith(`${words} `)));
    expect([...tried, ...Object.keys(LOCAL_COMMANDS), ...WITH_A_KEY]).to.have.members(every());
  });

  describe('beside the same commands on the database', () => {
    let local: Side;
    let remote: Side;

    before(async () => {
      local = await Side.open('database');
      remote = await Side.open('http');
    });
    after(async () => {
      await remote.close();
      await local.close();
    });

    for (const [index, step] of COMMANDS.entries()) {
      it(`${index + 1}. prints the same for: hatif ${step.line}`, async () => {
        const [here, there] = [await local.run(step), await remote.run(step)];
        expect(there).to.deep.equal(here);
      });
    }
  });
});
