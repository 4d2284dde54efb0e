import type { Database } from '../../database.js';

/** What can refer to an agent, a number or a trunk. */
export type UseKind =
  | 'bound_number'
  | 'own_binding'
  | 'default_destination'
  | 'flow'
  | 'widget'
  | 'queue_login'
  | 'queue_overflow'
  | 'caller_id'
  | 'forwarding'
  | 'virtual_number'
  | 'trunk_route'
  | 'live_call';

/** Something that refers to it, by a name that people know. */
export interface Use {
  readonly kind: UseKind;
  readonly name: string;
}

const LIVE = `status IN ('initiated', 'ringing', 'answered')`;

/** The condition that calls of an agent are forwarded to a target of one of the types. */
function forwardsTo(types: string, target: string): string {
  return `EXISTS (SELECT FROM jsonb_each(forwarding) AS forward
    WHERE forward.value->>'type' IN (${types}) AND forward.value->>'target' = ${target})`;
}

/** Finds what an agent, a number or a trunk is used for, so that a removal can be refused. */
export class Uses {
  constructor(private readonly db: Database) {}

  /** Without logins to queues, which the dispatcher knows. */
  ofAgent(projectId: string, agent: string): Promise<Use[]> {
    return this.db.query<Use>(
      `SELECT 'bound_number' AS kind, e164 AS name FROM numbers
         WHERE project_id = $1 AND binding->>'type' = 'agent' AND binding->>'target' = $2
       UNION ALL
       SELECT 'default_destination', name FROM projects
         WHERE id = $1 AND default_destination->>'type' = 'agent' AND default_destination->>'target' = $2
       UNION ALL
       SELECT 'flow', name FROM callflows
         WHERE project_id = $1 AND removed_at IS NULL AND jsonb_exists(uses->'agent', $2)
       UNION ALL
       SELECT 'widget', name FROM widgets
         WHERE project_id = $1 AND revoked_at IS NULL
           AND destination->>'type' = 'agent' AND destination->>'target' = $2
       UNION ALL
       SELECT 'forwarding', agent FROM agents
         WHERE project_id = $1 AND ${forwardsTo(`'agent'`, '$2')}
       UNION ALL
       SELECT DISTINCT 'live_call', legs.call_id::text FROM legs
         JOIN agents ON agents.project_id = $1 AND agents.agent = $2 AND legs.endpoint->>'aor' = agents.aor
         WHERE legs.status <> 'ended'
       ORDER BY kind, name`,
      [projectId, agent],
    );
  }

  ofNumber(projectId: string, numberId: string, e164: string): Promise<Use[]> {
    return this.db.query<Use>(
      `SELECT 'own_binding' AS kind,
           concat_ws(' ', binding->>'type', coalesce(queues.name, callflows.name, binding->>'target')) AS name
         FROM numbers
         LEFT JOIN queues ON binding->>'type' = 'queue' AND queues.id::text = binding->>'target'
         LEFT JOIN callflows ON binding->>'type' = 'callflow' AND callflows.id::text = binding->>'target'
         WHERE numbers.id = $2 AND binding IS NOT NULL
       UNION ALL
       SELECT 'bound_number', e164 FROM numbers
         WHERE project_id = $1 AND id <> $2
           AND binding->>'type' IN ('number', 'voicemail') AND binding->>'target' = $3
       UNION ALL
       SELECT 'default_destination', name FROM projects
         WHERE id = $1 AND default_destination->>'type' = 'number' AND default_destination->>'target' = $3
       UNION ALL
       SELECT 'flow', name FROM callflows
         WHERE project_id = $1 AND removed_at IS NULL AND jsonb_exists(uses->'number', $3)
       UNION ALL
       SELECT 'widget', name FROM widgets
         WHERE project_id = $1 AND revoked_at IS NULL
           AND destination->>'type' = 'number' AND destination->>'target' = $3
       UNION ALL
       SELECT 'queue_overflow', name FROM queues
         WHERE project_id = $1 AND removed_at IS NULL
           AND overflow->>'type' IN ('number', 'voicemail') AND overflow->>'target' = $3
       UNION ALL
       SELECT 'caller_id', agent FROM agents WHERE project_id = $1 AND caller_id_number = $3
       UNION ALL
       SELECT 'forwarding', agent FROM agents
         WHERE project_id = $1 AND ${forwardsTo(`'number', 'voicemail'`, '$3')}
       UNION ALL
       SELECT 'virtual_number', external_user_id FROM virtual_numbers
         WHERE number_id = $2 AND status = 'assigned'
       UNION ALL
       SELECT 'live_call', id::text FROM calls
         WHERE project_id = $1 AND $3 IN (line_number, caller_id_number) AND ${LIVE}
       ORDER BY kind, name`,
      [projectId, numberId, e164],
    );
  }

  ofTrunk(trunkId: string): Promise<Use[]> {
    return this.db.query<Use>(
      `SELECT DISTINCT 'live_call' AS kind, call_id::text AS name FROM legs
         WHERE status <> 'ended' AND endpoint->>'trunkId' = $1
       UNION ALL
       SELECT 'trunk_route', id::text FROM trunk_routes WHERE trunk_id::text = $1
       ORDER BY kind, name`,
      [trunkId],
    );
  }
}
