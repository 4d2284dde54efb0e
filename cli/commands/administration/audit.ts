import { InvalidArgumentError, type Command } from 'commander';

import { readNotedRow, type AuditFault, type NotedRow } from '../../../core/services/audit/verify.js';
import type { CliContext } from '../../common/context.js';
import { CliError } from '../../common/failure.js';
import { fields, result } from '../../common/output.js';
import type { Shared } from '../../common/options.js';

interface VerifyOptions extends Shared {
  readonly noted?: NotedRow;
}

export function addAuditCommands(program: Command, context: CliContext): void {
  const audit = program.command('audit').description('the audit log');

  audit
    .command('verify')
    .description('check that nobody changed or removed rows of the audit log')
    .option('--noted <sequence:hash>', 'the newest row of an earlier check, which has to be there still', readNoted)
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<VerifyOptions>();
      return context.withPlatform(async (platform) => {
        const found = await platform.audit.run(options.noted ?? null, (rows) =>
          context.progress(`${rows} rows are checked`),
        );
        const { rows, unsealed, head, pruned_up_to, fault } = found;
        const shown = fields({
          'rows checked': rows,
          'not sealed yet': unsealed,
          'deleted by retention': pruned_up_to === 0 ? 'none' : `up to ${pruned_up_to}`,
          'newest row': head.sequence === 0 ? null : `${head.sequence}:${head.hash}`,
        });
        result(context.output(options.json), found, fault ? shown : `${shown}\n\nThe audit log is intact.`);
        if (fault) throw new CliError(`The audit log is not intact: ${describe(fault)}.`);
      });
    });
}

function describe({ kind, sequence }: AuditFault): string {
  switch (kind) {
    case 'changed':
      return `row ${sequence} was changed`;
    case 'missing':
      return `row ${sequence} is missing`;
    case 'added':
      return 'rows were added after the newest one';
    case 'cut_off':
      return 'the newest rows are missing';
    case 'ends':
      return 'the record of its beginning and end was changed';
  }
}

function readNoted(text: string): NotedRow {
  const row = readNotedRow(text);
  if (row !== null) return row;
  throw new InvalidArgumentError('It must be the newest row as an earlier check printed it.');
}
