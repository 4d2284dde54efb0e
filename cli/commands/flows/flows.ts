import type { Command } from 'commander';

import type { ApiClient, Json } from '../../common/api-client.js';
import type { CliContext } from '../../common/context.js';
import { CliError, EXIT } from '../../common/failure.js';
import { readJson } from '../../common/json-file.js';
import { apiChoice, type ApiOptions, type Shared } from '../../common/options.js';
import { plain, result, table } from '../../common/output.js';
import { addFlowTest } from './flow-test.js';
import { assertNoTwin, flowOf, numberOf, ownFlows, storedFlows, type StoredFlow } from './stored-flows.js';

interface AddOptions extends Shared, ApiOptions {
  readonly name?: string;
  readonly activate: boolean;
  readonly bind?: string;
}

interface UpdateOptions extends Shared, ApiOptions {
  readonly name?: string;
  readonly activate: boolean;
  readonly replaces?: string;
}

const FILE = 'JSON, as for POST /v1/callflows';

export function addFlowCommands(program: Command, context: CliContext): void {
  const flows = program
    .command('flows')
    .alias('flow')
    .description('test, store and bind call flows: menus and graphs that answer calls');
  const withApi = (name: string): Command =>
    flows.command(name).option('--base-url <url>', 'address of the API').option('--key <key>', 'API key');

  addFlowTest(flows, context);

  withApi('add')
    .description('create a flow from a file')
    .argument('<file>', FILE)
    .option('--name <name>', 'name instead of the file’s; each name belongs to one flow')
    .option('--activate', 'check the flow and activate it', false)
    .option('--bind <number>', 'bind one of your numbers to it')
    .action(async (file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const given = await readJson(file);
      const name = options.name ?? given.name;
      const api = await context.api(apiChoice(options));
      if (typeof name === 'string') assertNoTwin(ownFlows(api, await storedFlows(api)), name, file);
      const number = options.bind === undefined ? null : await numberOf(api, options.bind);
      let made = await api.post('/v1/callflows', { ...given, name });
      const id = String(made.id);
      if (options.activate) made = await activated(api, id, `It is kept as a draft.`, file, context);
      if (number) await bind(api, number.id, id);
      const bound = number === null ? '' : `; calls to ${number.e164} run it`;
      const said = `${plain(String(made.name))} is ${String(made.status)}: ${id}${bound}.`;
      result(context.output(options.json), made, said);
    });

  withApi('update')
    .description('create a new version of a flow from a file; an active flow uses it for new calls at once')
    .argument('<flow>', 'its name or id')
    .argument('<file>', `${FILE}; its name is not used`)
    .option('--name <name>', 'give the flow this name')
    .option('--activate', 'check the flow and activate it', false)
    .option('--replaces <version>', 'refuse if this is not the current version')
    .action(async (wanted: string, file: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<UpdateOptions>();
      const replaces = options.replaces === undefined ? null : versionOf(options.replaces);
      const { kind, definition } = await readJson(file);
      const api = await context.api(apiChoice(options));
      const own = ownFlows(api, await storedFlows(api));
      const flow = flowOf(own, wanted);
      const name = options.name ?? flow.name;
      if (options.name !== undefined) {
        assertNoTwin(
          own.filter(({ id }) => id !== flow.id),
          name,
          file,
        );
      }
      const written = { name, kind, definition, version: replaces ?? flow.version };
      let made = await api.put(`/v1/callflows/${flow.id}`, written);
      if (options.activate && made.status !== 'active') {
        made = await activated(api, flow.id, `Version ${String(made.version)} is kept.`, file, context);
      }
      const use = made.status === 'active' ? '; new calls use it' : '';
      const said = `${plain(String(made.name))} is ${String(made.status)}, version ${String(made.version)}${use}: ${flow.id}.`;
      result(context.output(options.json), made, said);
    });

  withApi('list')
    .description('list the flows of the key’s project')
    .action(async (_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared & ApiOptions>();
      const rows = await storedFlows(await context.api(apiChoice(options)));
      const columns = {
        ID: ({ id }: StoredFlow) => id,
        NAME: ({ name }: StoredFlow) => name,
        KIND: ({ kind }: StoredFlow) => kind,
        VERSION: ({ version }: StoredFlow) => version,
        STATUS: ({ status }: StoredFlow) => status,
        SANDBOX: ({ sandbox }: StoredFlow) => sandbox,
        NUMBERS: ({ bound_numbers }: StoredFlow) => bound_numbers,
      };
      const shown = table(rows, columns, `There is no call flow yet: ${context.commands.hatif('flows add <file>')}`);
      result(context.output(options.json), rows, shown);
    });

  withApi('bind')
    .description('bind a number to a flow')
    .argument('<number>', 'one of yours')
    .argument('<flow>', 'its name or id')
    .action(async (number: string, wanted: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared & ApiOptions>();
      const api = await context.api(apiChoice(options));
      const { id, e164 } = await numberOf(api, number);
      const flow = flowOf(ownFlows(api, await storedFlows(api)), wanted);
      const bound = await bind(api, id, flow.id);
      const inactive = flow.status === 'active' ? '' : `, once it is active: it is ${flow.status}`;
      result(context.output(options.json), bound, `Calls to ${e164} run ${plain(flow.name)}${inactive}.`);
    });
}

function bind(api: ApiClient, numberId: string, flowId: string): Promise<Json> {
  return api.put(`/v1/numbers/${numberId}/binding`, { type: 'callflow', target: flowId });
}

/** Activates the flow; a refusal says that the flow itself was stored. */
async function activated(api: ApiClient, id: string, kept: string, file: string, context: CliContext): Promise<Json> {
  try {
    return await api.post(`/v1/callflows/${id}/activate`, {});
  } catch (error) {
    if (error instanceof CliError) {
      const again = context.commands.hatif(`flows update ${id} ${plain(file)} --activate`);
      context.output(false).note(`The flow ${id} was not activated. ${kept} Correct the file, then: ${again}`);
    }
    throw error;
  }
}

/** @throws CliError */
function versionOf(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CliError('--replaces: must be the number of a version.', EXIT.usage);
}
