import type { NumberRow } from '../../../data/rows.js';
import type { CachedDirectory } from '../../routing/directory.js';

type Directory = Pick<CachedDirectory, 'agentByExtension' | 'numberByE164'>;

/** Decides which recipients of SMS are softphones. */
export class SoftphoneRecipients {
  constructor(private readonly directory: Directory) {}

  /**
   * The softphone of the agent that the recipient is: an extension of the project, or a number of the project that rings
   * the agent. A number that the customer brought along stays with its carrier, which also has its messages.
   * @param to E.164, or an extension
   * @returns its SIP user name; null for anybody else
   */
  async of(projectId: string, to: string): Promise<string | null> {
    const extension = to.startsWith('+') ? ringing(projectId, await this.directory.numberByE164(to)) : to;
    if (extension === null) return null;
    return (await this.directory.agentByExtension(projectId, extension))?.aor ?? null;
  }
}

function ringing(projectId: string, number: NumberRow | null): string | null {
  if (number?.project_id !== projectId || number.source === 'own') return null;
  return number.binding?.type === 'agent' ? number.binding.target : null;
}
