import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';

import type { NumberDocumentRow, OwnNumberClaimRow, PortingRequestRow } from '../../../core/data/rows.js';
import { PORTING_STATUSES } from '../../../core/model/number/porting.js';
import { parseTime } from '../../../core/model/time.js';
import type { CliContext } from '../../common/context.js';
import type { NumberReviews } from '../../common/platform.js';
import { CliError, EXIT } from '../../common/failure.js';
import { fields, plain, result, table } from '../../common/output.js';
import { statusOf, type Shared } from '../../common/options.js';

interface Options extends Shared {
  readonly status?: string;
  readonly reason?: string;
  readonly at?: string;
}

type Act = (administration: NumberReviews, id: string, options: Options) => Promise<PortingRequestRow>;

/** Commands with which the operator handles porting requests, and letters that claim numbers. */
export function addPortingCommands(program: Command, context: CliContext): void {
  const porting = program.command('porting').description('decide about requests to port numbers from other carriers');
  const withAdministration = <T>(work: (administration: NumberReviews) => Promise<T>): Promise<T> =>
    context.withPlatform(({ numbering }) => work(numbering.administration));

  porting
    .command('list')
    .description('list the requests of all projects, newest first')
    .option('--status <status>', PORTING_STATUSES.join(', '))
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Options>();
      return withAdministration(async (administration) => {
        const rows = await administration.portings(statusOf(PORTING_STATUSES, options.status));
        const columns = {
          ID: (row: PortingRequestRow) => row.id,
          STATUS: (row: PortingRequestRow) => row.status,
          CARRIER: (row: PortingRequestRow) => row.carrier,
          NUMBERS: (row: PortingRequestRow) => row.numbers,
          SUBMITTED: (row: PortingRequestRow) => row.submitted_at,
        };
        result(context.output(options.json), rows, table(rows, columns, 'There is no porting request.'));
      });
    });

  porting
    .command('show')
    .description('show a request with its documents and history')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) =>
      withAdministration(async (administration) => {
        const found = await administration.porting(id);
        const { request, documents, history } = found;
        const { numbers, notes, reason, wanted_at, scheduled_at } = request;
        const parts = [
          fields({
            id,
            status: request.status,
            numbers,
            carrier: request.carrier,
            account: [request.account_name, request.account_number ?? ''].join(' ').trim(),
            ...{ notes, reason, wanted_at, scheduled_at },
          }),
          documentTable(documents),
          ...history.map(({ at, to_status, made_by }) => `${at.toISOString()}  ${to_status} by ${made_by}`),
        ];
        result(context.output(command.optsWithGlobals<Shared>().json), found, parts.join('\n'));
      }),
    );

  const step = (name: string, description: string, act: Act): Command =>
    porting
      .command(name)
      .description(description)
      .argument('<id>')
      .action((id: string, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<Options>();
        return withAdministration(async (administration) => {
          const row = await act(administration, id, options);
          result(context.output(options.json), row, `The request is ${row.status}.`);
        });
      });
  step('review', 'start the review of a submitted request', (administration, id) => administration.review(id));
  step('schedule', 'set when the other carrier hands the numbers over', (administration, id, { at = '' }) => {
    const time = parseTime(at);
    if (!time) throw new CliError(`--at ${at} is not a time.`, EXIT.usage, 'ISO 8601 with an offset');
    return administration.schedule(id, time);
  }).requiredOption('--at <time>', 'ISO 8601 with an offset');
  step('complete', 'complete a request: the numbers arrived and belong to the project', (administration, id) =>
    administration.complete(id),
  );
  step('reject', 'reject a request', (administration, id, { reason = '' }) =>
    administration.reject(id, reason),
  ).requiredOption('--reason <text>', 'reason shown to the customer');
  addDocument(
    porting,
    context,
    withAdministration,
    async (administration, id) => (await administration.porting(id)).documents,
  );
  addOwnNumberCommands(program, context, withAdministration);
}

type WithAdministration = <T>(work: (administration: NumberReviews) => Promise<T>) => Promise<T>;

function addOwnNumberCommands(program: Command, context: CliContext, withAdministration: WithAdministration): void {
  const own = program
    .command('own-numbers')
    .description('decide about letters with which customers claim their own numbers');

  own
    .command('list')
    .description('list the pending claims of all projects, newest first')
    .action((_: unknown, command: Command) =>
      withAdministration(async (administration) => {
        const rows = (await administration.claims('pending')).filter(({ method }) => method === 'letter');
        const columns = {
          ID: (row: OwnNumberClaimRow) => row.id,
          NUMBER: (row: OwnNumberClaimRow) => row.e164,
          ORGANIZATION: (row: OwnNumberClaimRow) => row.organization_id,
          SINCE: (row: OwnNumberClaimRow) => row.created_at,
        };
        const shown = table(rows, columns, 'There is no pending claim.');
        result(context.output(command.optsWithGlobals<Shared>().json), rows, shown);
      }),
    );

  own
    .command('show')
    .description('show a claim with its letters')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) =>
      withAdministration(async (administration) => {
        const found = await administration.claim(id);
        const { e164: number, status, organization_id: organization, created_at: since } = found.claim;
        const shown = [fields({ id, number, status, organization, since }), documentTable(found.documents)].join('\n');
        result(context.output(command.optsWithGlobals<Shared>().json), found, shown);
      }),
    );

  own
    .command('approve')
    .description('approve a claim: the number belongs to the customer')
    .argument('<id>')
    .action((id: string, _: unknown, command: Command) =>
      withAdministration(async (administration) => {
        const row = await administration.approveClaim(id);
        result(context.output(command.optsWithGlobals<Shared>().json), row, `${row.e164} belongs to the customer.`);
      }),
    );

  own
    .command('reject')
    .description('reject a claim')
    .argument('<id>')
    .requiredOption('--reason <text>', 'reason shown to the customer')
    .action((id: string, _: unknown, command: Command) => {
      const { json, reason = '' } = command.optsWithGlobals<Options>();
      return withAdministration(async (administration) => {
        const row = await administration.rejectClaim(id, reason);
        result(context.output(json), row, `The claim to ${row.e164} is rejected.`);
      });
    });

  addDocument(
    own,
    context,
    withAdministration,
    async (administration, id) => (await administration.claim(id)).documents,
  );
}

function addDocument(
  parent: Command,
  context: CliContext,
  withAdministration: WithAdministration,
  documentsOf: (administration: NumberReviews, id: string) => Promise<readonly NumberDocumentRow[]>,
): void {
  parent
    .command('document')
    .description('save a document to a file')
    .argument('<id>')
    .argument('<document-id>')
    .argument('<file>', 'must not exist yet')
    .action((id: string, documentId: string, file: string, _: unknown, command: Command) =>
      withAdministration(async (administration) => {
        const document = (await documentsOf(administration, id)).find((one) => one.id === documentId);
        if (!document) throw new CliError(`There is no document ${documentId}.`);
        await pipeline(await administration.read(document), createWriteStream(file, { flags: 'wx', mode: 0o600 }));
        const { json } = command.optsWithGlobals<Shared>();
        result(context.output(json), { file, ...document }, `Wrote ${plain(file)} (${document.media_type}).`);
      }),
    );
}

function documentTable(documents: readonly NumberDocumentRow[]): string {
  const columns = {
    DOCUMENT: (row: NumberDocumentRow) => row.id,
    KIND: (row: NumberDocumentRow) => row.kind,
    NAME: (row: NumberDocumentRow) => row.name,
    TYPE: (row: NumberDocumentRow) => row.media_type,
  };
  return table(documents, columns, 'There is no document.');
}
