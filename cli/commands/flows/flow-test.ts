import type { Command } from 'commander';
import { z } from 'zod';

import { graphOf } from '../../../core/model/flow/compile.js';
import { graphDefinition, menuDefinition, type FlowDefinition } from '../../../core/model/flow/definition.js';
import { flowScript, type SimulationResult } from '../../../core/model/flow/script.js';
import type { Json } from '../../common/api-client.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { parseJson, readJson } from '../../common/json-file.js';
import type { Shared } from '../../common/options.js';
import { plain, result } from '../../common/output.js';

interface TestOptions extends Shared {
  readonly script?: string;
}

/** Stands for a flow that is not stored. */
const TRIED = { callflowId: 'test', version: 1 } as const;

/** @param flows the commands for call flows */
export function addFlowTest(flows: Command, context: CliContext): void {
  flows
    .command('test')
    .description('run a flow with a scripted caller; needs no running platform')
    .argument('<file>', 'JSON, as for POST /v1/callflows')
    .option('--script <json>', 'what the caller does: JSON, or @ and a file; by default the caller presses nothing')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<TestOptions>();
      const definition = definitionOf(await readJson(file));
      const script = parsed(flowScript, await scriptOf(options.script), 'The script', []);
      const flow = { ...TRIED, graph: graphOf(definition) };
      const tried = await context.simulateFlow(flow, script, () => Promise.resolve(null), new Date());
      result(context.output(options.json), tried, story(tried));
    });
}

async function scriptOf(given: string | undefined): Promise<Json> {
  if (given === undefined) return {};
  return given.startsWith('@') ? readJson(given.slice(1)) : parseJson(given, 'The script');
}

function definitionOf({ kind, definition }: Json): FlowDefinition {
  if (kind === 'menu') return { kind, definition: parsed(menuDefinition, definition, 'The menu', IN_FILE) };
  if (kind === 'graph') return { kind, definition: parsed(graphDefinition, definition, 'The graph', IN_FILE) };
  throw new CliError('The file needs a kind, menu or graph, and a definition.', EXIT.usage);
}

/** Where the definition is in its file. */
const IN_FILE = ['definition'];

/** @param above the path of `given` in what the author wrote */
function parsed<S extends z.ZodType>(schema: S, given: unknown, what: string, above: readonly string[]): z.output<S> {
  const read = schema.safeParse(given);
  if (read.success) return read.data;
  const issues = read.error.issues.map((issue) => ({ ...issue, path: [...above, ...issue.path] }));
  throw new CliError(`${what} is not valid:\n${z.prettifyError({ issues })}`, EXIT.usage);
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
