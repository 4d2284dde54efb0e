import type { Command } from 'commander';

import type { CliContext } from '../../common/context.js';
import { fields, result } from '../../common/output.js';
import type { Shared } from '../../common/options.js';
import type { OrganizationDeletion } from '../../common/platform.js';

interface DeleteOptions extends Shared {
  readonly name: string;
}

/** Adds how an organization ends to the command `organizations`. */
export function addOrganizationEndCommands(organizations: Command, context: CliContext): void {
  const { hatif } = context.commands;

  organizations
    .command('delete')
    .description('delete an organization with everything it has; this cannot be taken back')
    .argument('<id>', `its id, as \`${hatif('organizations list')}\` shows it`)
    .requiredOption('--name <name>', 'the name of the organization, exactly: the confirmation')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<DeleteOptions>();
      return context.withPlatform(async (platform) => {
        const deletion = await platform.deletions.begin(id, options.name);
        const next = hatif(`organizations deletion ${deletion.organization_id}`);
        const hint = `The platform does the rest while it runs. How far it is: ${next}`;
        result(context.output(options.json), deletion, `${tableOf(deletion)}\n\n${hint}`);
      });
    });

  organizations
    .command('deletion')
    .description('show how far the deletion of an organization is, and what must be kept until when')
    .argument('<id>', 'id of the organization')
    .action((id: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<Shared>();
      return context.withPlatform(async (platform) => {
        const deletion = await platform.deletions.read(id);
        result(context.output(options.json), deletion, tableOf(deletion));
      });
    });
}

function tableOf({ archive, ...deletion }: OrganizationDeletion): string {
  return fields({
    organization: `${deletion.organization_name} (${deletion.organization_id})`,
    status: deletion.status,
    step: deletion.step,
    problem: deletion.problem ?? 'none',
    archive: archive.files === 0 ? 'none' : `${archive.files} files, ${archive.bytes} bytes`,
    'archive expires': archive.expires_at,
    'kept until': deletion.kept_until,
    finished: deletion.finished_at,
  });
}
