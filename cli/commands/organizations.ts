import type { Command } from 'commander';

import { projectOf, type CliContext } from '../common/context.js';
import { fields, result, table } from '../common/output.js';
import { addOrganizationEndCommands } from './administration/organization-ends.js';
import type { Shared } from '../common/options.js';

interface SetOptions extends Shared {
  readonly contactEmail: string;
}

const NONE = 'none';

export function addOrganizationCommands(program: Command, context: CliContext): void {
  const organizations = program
    .command('organizations')
    .description('list and delete organizations, and set the addresses of their owners');

  addOrganizationEndCommands(organizations, context);

  organizations
    .command('list')
    .description('list all organizations')
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const rows = (await platform.contacts.list()).map(({ id, name, account_kind, contact_email }) => ({
          ...{ id, name, account_kind, contact_email },
        }));
        const shown = table(
          rows,
          {
            ID: (row) => row.id,
            NAME: (row) => row.name,
            KIND: (row) => row.account_kind,
            'CONTACT E-MAIL': (row) => row.contact_email,
          },
          `There is no organization yet: ${context.commands.start()}`,
        );
        result(context.output(options.json), rows, shown);
      });
    });

  organizations
    .command('set')
    .description('change settings of the organization of a project')
    .requiredOption('--contact-email <address>', `where the platform writes to the owner, or ${NONE}`)
    .action((_: unknown, command: Command) => {
      const options = command.optsWithGlobals<SetOptions>();
      return context.withPlatform(async (platform) => {
        const { organization_id: organization } = projectOf(platform, options.project);
        const contact_email = options.contactEmail === NONE ? null : options.contactEmail;
        await platform.contacts.set(organization, contact_email);
        const change = { organization, contact_email };
        result(context.output(options.json), change, fields({ organization, 'contact e-mail': contact_email ?? NONE }));
      });
    });
}
