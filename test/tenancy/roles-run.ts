import { openApiDocument } from '../../api/http/openapi.js';
import { ROLES, seesOwnRowsOnly } from '../../core/model/access/roles.js';
import { operationsOf, type Operation } from '../fuzz/operations.js';
import { asMember, refusedTries } from './people.js';
import { send } from './run.js';
import type { Asked } from './sample.js';
import { SAMPLES } from './samples/index.js';
import type { World } from './world.js';

/**
 * Brings every operation to success with a session of each role that may call it, after every other role was refused.
 * @returns one line for each fault
 */
export async function roleFaults(world: World): Promise<string[]> {
  const routes = world.platform.api?.routes ?? [];
  const faults: string[] = [];
  for (const operation of operationsOf(openApiDocument({ routes, version: '1', serverUrl: '' }))) {
    const sample = SAMPLES[operation.operationId];
    const roles = ROLES.filter((role) => operation.roles.includes(role) && !seesOwnRowsOnly(role));
    for (const role of sample === undefined ? [] : roles) {
      const name = `${operation.operationId} as ${role}`;
      try {
        const asked = await sample!(world.owner);
        if (role === roles[0]) faults.push(...(await refusedFaults(world, operation, asked)));
        const answer = await send(world, operation, asked, asMember(world.owner, role, asked));
        const isDone = answer === null ? operation.operationId === 'streamEvents' : answer.status < 300;
        if (!isDone) faults.push(`${name}: ${answer?.status} ${answer?.text.slice(0, 200)}`);
      } catch (error) {
        faults.push(`${name}: ${String(error)}`);
      }
    }
  }
  return faults;
}

async function refusedFaults(world: World, operation: Operation, asked: Asked): Promise<string[]> {
  const faults: string[] = [];
  for (const { who, options, isRefused } of refusedTries(operation, asked, world.owner)) {
    const answer = await send(world, operation, asked, options);
    const given = answer?.body?.error_code;
    const code = typeof given === 'string' ? given : '';
    if (answer === null || !isRefused(answer.status, code)) {
      faults.push(`${operation.operationId}: ${who}: ${answer?.status} ${code}`);
    }
  }
  return faults;
}
