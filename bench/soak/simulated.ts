/**
 * Calls of the simulator in accelerated time, with everything that owns a call: each comes in, is answered, echoes and
 * is hung up. `{ calls }` makes as many, removes their rows and reports the heap after full collections.
 */
import { Database } from '../../core/data/database.js';
import { callControllerRig } from '../../test/support/stages/call-controller.js';

/** As many are live at the same time. */
const AT_ONCE = 200;
const LASTS_MS = 3_000;

const db = Database.open(process.env.BENCH_DATABASE ?? '', { statementTimeoutMs: 60_000 });
const rig = await callControllerRig(db);

async function makeCalls(calls: number): Promise<void> {
  for (let made = 0; made < calls; made += AT_ONCE) {
    const legIds = Array.from({ length: Math.min(AT_ONCE, calls - made) }, (_, index) =>
      rig.engine.callIn({
        source: { type: 'trunk', trunkId: rig.ground.projectId },
        dialled: rig.line,
        callerId: { number: `+9665${String(10_000_000 + index)}`, name: null },
      }),
    );
    await rig.settle();
    await rig.clock.advance(LASTS_MS);
    await rig.settle();
    for (const legId of legIds) rig.engine.remoteHangup(legId);
    await rig.settle();
    if (rig.controller.liveCalls > 0) throw new Error(`${rig.controller.liveCalls} calls did not end`);
  }
  const [row] = await db.query<{ ended: number }>(`SELECT count(*)::int AS ended FROM calls WHERE status = 'ended'`);
  if (row?.ended !== calls) throw new Error(`${row?.ended ?? 0} of ${calls} calls are stored as ended`);
  // As a replica does, without the triggers that protect what was booked.
  await db.query(`SET session_replication_role = replica; TRUNCATE calls CASCADE; RESET session_replication_role`);
}

function heapUsed(): number {
  // Twice: the first collection only finalizes some objects; the second frees them.
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

process.on('message', ({ calls }: { readonly calls: number }) => {
  makeCalls(calls).then(
    () => setImmediate(() => process.send?.({ heapUsed: heapUsed() })),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.send?.({ ready: true });
