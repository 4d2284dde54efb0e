import { AGENT_HZ, CUSTOMER_HZ, type Talkers } from './conversation.js';
import { eventually } from '../eventually.js';
import type { Member } from '../judges/mixed-hearing.js';
import type { Baresip } from '../phones/index.js';
import type { TestPlatform } from '../platform/platform.js';

/** The tone of the third phone. */
export const THIRD_HZ = 1400;

/** A phone that can be called into a conference, and its tone. */
export type ToCall = readonly [extension: string, phone: Baresip, hz: number];

export interface Called extends Member {
  /** The platform's id of the call. */
  readonly id: string;
}

/** The two talkers and a third. */
export async function threePhones(stage: TestPlatform, talkers: Talkers): Promise<readonly ToCall[]> {
  await stage.newAgent('1003');
  const third = await stage.softphone('1003', { source: { toneHz: THIRD_HZ } });
  return [
    ['1001', talkers.customer, CUSTOMER_HZ],
    ['1002', talkers.agent, AGENT_HZ],
    ['1003', third, THIRD_HZ],
  ];
}

/** Calls the phone, which answers and waits for API actions. */
export async function callPhone(stage: TestPlatform, [extension, phone, hz]: ToCall): Promise<Called> {
  const { call_id: id } = await stage.call({ to: stage.agent(extension).number });
  const callId = await phone.incoming();
  await phone.answer(callId);
  await eventually(async () => (await stage.read(id)).status === 'answered', `${id} is answered`);
  return { id, phone, hz, callId };
}
