import type { Command } from 'commander';

import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { fields, result, table } from '../common/output.js';
import type { Shared } from '../common/options.js';

interface WriteOptions extends Shared {
  readonly mode: string;
}

export function addCertificateCommands(program: Command, context: CliContext): void {
  const certificates = program.command('certificates').description('show and renew the certificates of HTTPS and SIP');

  certificates
    .command('list')
    .description('list the certificates that this machine uses, and how their renewal by an ACME authority stands')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      const report = await context.certificates();
      const shown = [
        table(
          report.used,
          {
            FOR: (row) => row.for,
            NAMES: (row) => row.names,
            ISSUER: (row) => row.issuer,
            EXPIRES: (row) => row.expires_at,
            FILE: (row) => row.file,
            PROBLEM: (row) => row.problem,
          },
          'Neither HTTPS nor SIP uses a certificate.',
        ),
        ...report.ordered.map((row) =>
          fields({
            authority: row.authority,
            names: row.names,
            expires: row.expires_at,
            'next attempt': row.next_attempt_at,
            failures: row.failures,
            ...(row.failure !== null && { 'last failure': row.failure }),
          }),
        ),
      ];
      result(context.output(options.json), report, shown.join('\n\n'));
    });

  certificates
    .command('retry')
    .description('make the next attempt of a failing renewal now, after its cause was removed')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      const count = await context.retryCertificates();
      const shown =
        count === 0 ? 'No renewal is failing.' : 'The next attempt begins within ten seconds, in a process that runs.';
      result(context.output(options.json), { retried: count }, shown);
    });

  certificates
    .command('write')
    .description('write agent.pem and cafile.pem, for SIP over TLS of an engine that Hatif does not start')
    .argument('<folder>', 'folder that the engine reads')
    .option('--mode <mode>', 'mode of the files, octal; one of them holds the key', '640')
    .action(async (folder: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<WriteOptions>();
      const mode = /^[0-7]{3}$/.test(options.mode) ? Number.parseInt(options.mode, 8) : null;
      if (mode === null) throw new CliError('--mode: must be three octal digits.', EXIT.usage);
      if (!(await context.writeCertificates(folder, mode))) {
        throw new CliError('SIP has no certificate: set SIP_TLS_CERT and SIP_TLS_KEY, or ACME_DOMAINS.', EXIT.usage);
      }
      result(context.output(options.json), { folder }, `Wrote agent.pem and cafile.pem to ${folder}.`);
    });
}
