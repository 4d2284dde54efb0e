import { isId } from '../../../model/ids.js';
import type { Database } from '../../database.js';
import type { CallflowUses } from '../../rows.js';
import type { ProjectKind } from '../project-kind.js';

type Kind = Exclude<keyof CallflowUses, 'callflow' | 'calls'>;

/** Agents and queues have no kind. */
const OWNED: Readonly<Record<Kind, string>> = {
  audio: 'SELECT id::text AS key FROM audio_files WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND sandbox = $3',
  queue: `SELECT id::text AS key FROM queues
    WHERE project_id = $1 AND id = ANY ($2::uuid[]) AND removed_at IS NULL AND $3::boolean IS NOT NULL`,
  number: `SELECT e164 AS key FROM numbers WHERE project_id = $1 AND e164 = ANY ($2::text[]) AND state = 'assigned' AND sandbox = $3`,
  agent: `SELECT agent AS key FROM agents
    WHERE project_id = $1 AND agent = ANY ($2::text[]) AND $3::boolean IS NOT NULL`,
};
const BY_ID: ReadonlySet<Kind> = new Set(['audio', 'queue']);

/** Which of the resources named by a flow belong to the project, and are of the flow's kind. */
export async function ownedOf(
  db: Database,
  { projectId, sandbox }: ProjectKind,
  uses: Pick<CallflowUses, Kind>,
): Promise<Record<Kind, ReadonlySet<string>>> {
  const owned = async (kind: Kind): Promise<ReadonlySet<string>> => {
    const keys = BY_ID.has(kind) ? uses[kind].filter(isId) : uses[kind];
    if (keys.length === 0) return new Set();
    const rows = await db.query<{ key: string }>(OWNED[kind], [projectId, keys, sandbox]);
    return new Set(rows.map(({ key }) => key));
  };
  const [audio, queue, number, agent] = await Promise.all([
    owned('audio'),
    owned('queue'),
    owned('number'),
    owned('agent'),
  ]);
  return { audio, queue, number, agent };
}
