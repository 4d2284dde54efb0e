import type { AgentRow } from '../../../data/rows.js';
import type { IncomingDirectory } from './incoming-directory.js';

/**
 * The caller id of the calls that an agent makes or forwards: the number assigned to the agent, else the number that
 * rings the agent, else the project's main number.
 */
export async function callerIdOf(
  directory: Pick<IncomingDirectory, 'numberOfAgent' | 'project'>,
  { project_id, agent, caller_id_number }: AgentRow,
): Promise<string | null> {
  if (caller_id_number !== null) return caller_id_number;
  const own = await directory.numberOfAgent(project_id, agent);
  return own?.e164 ?? (await directory.project(project_id))?.main_number ?? null;
}
