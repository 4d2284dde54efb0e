import type { Commands } from '../../model/commands.js';
import type { HostPort } from '../../model/host-port.js';
import type { Overview, Place } from './overview.js';

/** What an operator can do next, with the command for it. */
export type NextStep =
  | { readonly step: 'add_agent' | 'bind_number'; readonly command: string }
  | {
      readonly step: 'register' | 'register_anew';
      readonly agent: string;
      readonly server: HostPort;
      readonly command: string;
    }
  | { readonly step: 'call'; readonly number: string; readonly command: string };

const AGENT = '1001';
const NUMBER = '+966112345678';

/**
 * Chooses the first step that is missing on the way to a call that rings a phone; then the call itself.
 * @param words what the call says
 */
export function nextStep(
  { phones, projectIds }: Overview,
  { sip, bootstrapFile }: Pick<Place, 'sip' | 'bootstrapFile'>,
  { hatif, beside }: Commands,
  words: string,
): NextStep {
  const [first] = phones.rows;
  const [projectId = ''] = first ? [first.project_id] : projectIds;
  // The id, because a name could contain what a shell runs.
  const project = projectIds.length <= 1 ? '' : ` --project ${projectId}`;
  if (!first) return { step: 'add_agent', command: hatif(`agents add ${AGENT}${project}`) };
  if (!first.registered) {
    const phone = { agent: first.agent, server: sip };
    return bootstrapFile === null
      ? { step: 'register_anew', ...phone, command: hatif(`agents password ${first.agent}${project}`) }
      : { step: 'register', ...phone, command: beside(`node -p "require('${bootstrapFile}').sip.agents"`) };
  }
  const number = phones.rows.find((phone) => phone.registered && phone.number !== null)?.number ?? null;
  if (number === null) {
    return { step: 'bind_number', command: hatif(`numbers add ${NUMBER} --bind agent:${first.agent}${project}`) };
  }
  return { step: 'call', number, command: hatif(`call ${number} --say "${words}"`) };
}
