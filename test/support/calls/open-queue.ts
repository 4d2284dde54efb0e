import type { QueueSettings } from '../../../core/services/queues/manage.js';
import type { CallControllerRig } from '../stages/call-controller.js';

/** The queue settings of most tests. */
export const QUEUE: QueueSettings = {
  name: 'sales',
  dial_code: '501',
  strategy: 'longest_idle',
  wrap_up_seconds: 5,
  ring_timeout_seconds: 20,
  max_wait_seconds: 60,
  max_length: 3,
  service_level_seconds: 20,
  unavailable_seconds: 10,
  required_skills: {},
  skills_timeout_seconds: null,
  announce_position: false,
  announce_every_seconds: 30,
  music: null,
  overflow: { type: 'hangup', target: null },
  callback_mode: 'agent_first',
  record: false,
};

/** Creates the queue `sales` in the rig's project. @param isStaffed signs the agent in @returns its id */
export async function openQueue(
  { db, ground, queues: { coordinator, queues, signIn, watch } }: CallControllerRig,
  settings: Partial<QueueSettings> = {},
  isStaffed = true,
): Promise<string> {
  const { projectId, organizationId, engineId } = ground;
  const queue = await queues.create({ projectId, organizationId }, { ...QUEUE, ...settings });
  await db.query(`INSERT INTO softphone_registrations (engine_id, aor) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [
    engineId,
    `a${projectId}`,
  ]);
  if (isStaffed) await signIn.login(projectId, '1001', queue.name);
  await coordinator.idle();
  await watch.poll();
  return queue.id;
}

/** Binds the rig's line to the queue. */
export async function bindLine({ db, line }: CallControllerRig, queueId: string): Promise<void> {
  const binding = JSON.stringify({ type: 'queue', target: queueId });
  await db.query(`UPDATE numbers SET binding = $2 WHERE e164 = $1`, [line, binding]);
}
