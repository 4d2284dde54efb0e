import { readFile } from 'node:fs/promises';

import type { Command } from 'commander';
import { z } from 'zod';

import { graphOf } from '../../core/model/flow/compile.js';
import { graphDefinition, menuDefinition, type FlowDefinition } from '../../core/model/flow/definition.js';
import { flowScript, type SimulationResult } from '../../core/model/flow/script.js';
import type { ApiClient, Json } from '../common/api-client.js';
import type { CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { plain, result, table } from '../common/output.js';
import { apiChoice, type ApiOptions, type Shared } from '../common/options.js';

interface Flow {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly version: number;
  readonly status: string;
  readonly bound_numbers: readonly string[];
}

interface AddOptions extends Shared, ApiOptions {
  readonly name?: string;
  readonly activate: boolean;
  readonly bind?: string;
}

interface TestOptions extends Shared {
  readonly script?: string;
}

/** Stands for a flow that is not stored. */
const TRIED = { callflowId: 'test', version: 1 } as const;

export function addFlowCommands(program: Command, context: CliContext): void {
  const flows = program.command('flows').alias('flow').description('call flows: menus and graphs that answer calls');

  flows
    .command('test')
    .description('run a flow with a scripted caller; needs no running platform')
    .argument('<file>', 'JSON, as for POST /v1/callflows')
    .option('--script <json>', 'what the caller does: JSON, or @ and a file; by default the caller presses nothing')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TestOptions>();
      const definition = definitionOf(await readJson(file));
      const script = parsed(flowScript, await scriptOf(options.script), 'The script');
      const flow = { ...TRIED, graph: graphOf(definition) };
      const tried = await context.simulateFlow(flow, script, () => Promise.resolve(null), new Date());
      result(context.output(options.json), tried, story(tried));
    });

  flows
    .command('add')
    .description('create a flow from a file')
    .argument('<file>', 'JSON, as for POST /v1/callflows')
    .option('--name <name>', 'name instead of the file’s')
    .option('--activate', 'check the flow and activate it', false)
    .option('--bind <number>', 'bind one of your numbers to it')
    .option('--base-url <url>', 'address of the API')
    .option('--key <key>', 'API key')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const given = await readJson(file);
      const api = await context.api(apiChoice(options));
      let made = await api.post('/v1/callflows', {
        ...given,
        ...(options.name !== undefined && { name: options.name }),
      });
      const id = String(made.id);
      if (options.activate) made = await api.post(`/v1/callflows/${id}/activate`, {});
      if (options.bind !== undefined) await bind(api, options.bind, id);
      const bound = options.bind === undefined ? '' : `; calls to ${options.bind} run it`;
      result(
        context.output(options.json),
        made,
        `${plain(String(made.name))} is ${String(made.status)}: ${id}${bound}.`,
      );
    });

  flows
    .command('list')
    .description('the flows of a project')
    .option('--base-url <url>', 'address of the API')
    .option('--key <key>', 'API key')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared & ApiOptions>();
      const api = await context.api(apiChoice(options));
      const rows = (await api.get('/v1/callflows?limit=100')).data as readonly Flow[];
      const columns = {
        ID: ({ id }: Flow) => id,
        NAME: ({ name }: Flow) => plain(name),
        KIND: ({ kind }: Flow) => kind,
        VERSION: ({ version }: Flow) => version,
        STATUS: ({ status }: Flow) => status,
        NUMBERS: ({ bound_numbers }: Flow) => bound_numbers,
      };
      const shown = table(rows, columns, 'There is no call flow yet: hatif flows add <file>');
      result(context.output(options.json), rows, shown);
    });

  flows
    .command('bind')
    .description('bind a number to a flow')
    .argument('<number>', 'one of yours')
    .argument('<flow>', 'its id')
    .option('--base-url <url>', 'address of the API')
    .option('--key <key>', 'API key')
    .action(async (number: string, flow: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared & ApiOptions>();
      const api = await context.api(apiChoice(options));
      const bound = await bind(api, number, flow);
      result(context.output(options.json), bound, `Calls to ${String(bound.e164)} run ${flow}.`);
    });
}

/** Binds the number to the flow; searches all numbers of the project for it. */
async function bind(api: ApiClient, number: string, flowId: string): Promise<Json> {
  const wanted = number.replace(/[^\d]/g, '').replace(/^0+/, '');
  for (let path: string | null = '/v1/numbers?limit=100'; path !== null;) {
    const page: Json = await api.get(path);
    const found = (page.data as readonly { id: string; e164: string }[]).find(({ e164 }) => e164.endsWith(wanted));
    if (found) return api.put(`/v1/numbers/${found.id}/binding`, { type: 'callflow', target: flowId });
    const next = page.next_cursor;
    path = typeof next === 'string' ? `/v1/numbers?limit=100&cursor=${encodeURIComponent(next)}` : null;
  }
  throw new CliError(`The project has no number ${number}.`, EXIT.failed, 'hatif numbers list');
}

async function readJson(file: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw new CliError(`${file} cannot be read.`, EXIT.usage);
  }
  return parseJson(text, file);
}

function parseJson(text: string, what: string): Json {
  try {
    const made: unknown = JSON.parse(text);
    if (typeof made === 'object' && made !== null && !Array.isArray(made)) return made as Json;
  } catch {
    // Reported below.
  }
  throw new CliError(`${what} is not a JSON object.`, EXIT.usage);
}

async function scriptOf(given: string | undefined): Promise<Json> {
  if (given === undefined) return {};
  return given.startsWith('@') ? readJson(given.slice(1)) : parseJson(given, 'The script');
}

function definitionOf({ kind, definition }: Json): FlowDefinition {
  if (kind === 'menu') return { kind, definition: parsed(menuDefinition, definition, 'The menu') };
  if (kind === 'graph') return { kind, definition: parsed(graphDefinition, definition, 'The graph') };
  throw new CliError('The file needs a kind, menu or graph, and a definition.', EXIT.usage);
}

function parsed<S extends z.ZodType>(schema: S, given: unknown, what: string): z.output<S> {
  const read = schema.safeParse(given);
  if (!read.success) throw new CliError(`${what} is not valid:\n${z.prettifyError(read.error)}`, EXIT.usage);
  return read.data;
}

/** The course of a simulated call, one line for each step. */
function story({
  path,
  prompts,
  requests,
  unscripted,
  events,
  ending,
  reason,
  handed_to,
  variables,
}: SimulationResult): string {
  const said = prompts.map(
    ({ node, text, audio_id }) => `  ${node}: ${text === null ? `audio ${audio_id ?? ''}` : plain(text)}`,
  );
  const to = handed_to === null ? '' : ` ${handed_to.target ?? ''}`;
  return [
    `Path: ${path.map(({ node }) => node).join(' → ')}`,
    ...(said.length > 0 ? ['Heard:', ...said] : []),
    ...requests.map(({ node, url }) => `Requested at ${node}: ${plain(url)}`),
    ...unscripted.map(({ node, member }) => `Not in the script: what ${node} gets (${member}); taken as a failure`),
    ...events.map(({ type, data }) => `Event: ${type} ${JSON.stringify(data)}`),
    ...Object.entries(variables).map(([name, value]) => `${name} = ${plain(value)}`),
    `End: ${ending}${plain(to)}${reason === null ? '' : ` (${reason})`}`,
  ].join('\n');
}
