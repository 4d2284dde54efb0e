import { Option, type Command } from 'commander';

import { DEFAULT_REACH, DEFAULT_THEME } from '../../core/services/widgets/manage.js';
import { projectOf, type CliContext } from '../common/context.js';
import { CliError, EXIT } from '../common/failure.js';
import { fields, plain, result, table } from '../common/output.js';
import { destinationNames, destinationOf } from '../common/destinations.js';
import { commaList, readNumber, type Shared } from '../common/options.js';

interface AddOptions extends Shared {
  readonly origin: string[];
  readonly to?: string;
  readonly countries: string[];
  readonly callsPerHour?: string;
  readonly language: 'ar' | 'en';
  readonly otp?: true;
  readonly captcha: boolean;
  readonly browserCalls?: boolean;
  readonly chat?: boolean;
  readonly sandbox?: true;
}

const TO = 'agent:<extension or name>, queue:<name>, number:<number>, sip:<address> or echo';

export function addWidgetCommands(program: Command, context: CliContext): void {
  const widgets = program.command('widgets').description('add, list and revoke click-to-call buttons for web pages');

  widgets
    .command('add')
    .description('create a widget and show the line that web pages need')
    .argument('<name>', 'name of the widget')
    .requiredOption(
      '--origin <origins>',
      'origins of pages that may use it: https://www.example.com, separated by commas',
      commaList,
    )
    .option('--to <where>', `destination of customers, instead of the project’s default: ${TO}`)
    .option(
      '--countries <codes>',
      'calling codes of the countries whose numbers it calls, separated by commas',
      commaList,
      [...DEFAULT_REACH.countries],
    )
    .option('--calls-per-hour <number>', 'callbacks and codes in an hour, instead of WIDGET_CALLS_PER_WIDGET')
    .addOption(new Option('--language <language>', 'for pages without a language').choices(['ar', 'en']).default('ar'))
    .option('--otp', 'customers verify their number with a code')
    .option('--no-captcha', 'do not require proof of work from browsers')
    .option('--browser-calls', 'customers may also call from the browser; needs a queue or an agent as destination')
    .option('--chat', 'customers may also write')
    .option('--sandbox', 'its callbacks run in the simulator')
    .action((name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      return context.withPlatform(async (platform) => {
        const project = projectOf(platform, options.project);
        const reach = { projectId: project.id, sandbox: options.sandbox ?? false };
        const destination = options.to === undefined ? null : await destinationOf(platform, reach, options.to);
        if (destination?.type === 'voicemail' || destination?.type === 'callflow') {
          throw new CliError(`--to: a widget cannot lead to ${plain(options.to ?? '')}.`, EXIT.usage, TO);
        }
        const row = await platform.widgets.create(
          { projectId: project.id, organizationId: project.organization_id, sandbox: reach.sandbox },
          {
            name,
            allowed_origins: options.origin,
            countries: options.countries,
            calls_per_hour:
              options.callsPerHour === undefined ? null : readNumber('--calls-per-hour', options.callsPerHour),
            destination,
            language: options.language,
            otp: options.otp ?? false,
            captcha: options.captcha,
            browser_calls: options.browserCalls ?? false,
            chat: options.chat ?? false,
            theme: DEFAULT_THEME,
          },
        );
        const shown = fields({ key: row.key, id: row.id, name: row.name, origins: row.allowed_origins });
        const line = `<script src="…/widget/v1.js" data-key="${row.key}" async></script>`;
        result(context.output(options.json), row, `${shown}\n\nIn pages, with the platform’s address:\n${line}`);
      });
    });

  widgets
    .command('list')
    .description('list the widgets of a project, including revoked ones')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id: projectId } = projectOf(platform, options.project);
        const rows = await platform.widgets.list({ projectId, sandboxOnly: false });
        const where = await destinationNames(platform, projectId);
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            NAME: (row) => row.name,
            KEY: (row) => row.key,
            ORIGINS: (row) => row.allowed_origins,
            REACHES: (row) => (row.destination === null ? 'the default' : where(row.destination)),
            OTP: (row) => row.otp,
            COUNTRIES: (row) => row.countries,
            'PER HOUR': (row) => row.calls_per_hour,
            CAPTCHA: (row) => row.captcha,
            BROWSER: (row) => row.browser_calls,
            CHAT: (row) => row.chat,
            SANDBOX: (row) => row.sandbox,
            REVOKED: (row) => row.revoked_at,
          },
          `There is no widget yet: ${context.commands.hatif('widgets add <name> --origin <origin>')}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  widgets
    .command('remove')
    .description('revoke a widget; pages that use it lose it within seconds')
    .argument('<id>', `its id, as \`${context.commands.hatif('widgets list')}\` shows it`)
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const { id: projectId } = projectOf(platform, options.project);
        const row = await platform.widgets.revoke({ projectId, sandboxOnly: false }, id);
        result(context.output(options.json), row, `The widget ${plain(row.name)} is revoked.`);
      });
    });
}
