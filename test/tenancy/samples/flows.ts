import { toneWav } from '../../support/judges/audio.js';
import type { Samples } from '../sample.js';
import type { Members, Tenant } from '../tenant.js';

export function audioForm(tenant: Tenant): FormData {
  const form = new FormData();
  form.append('name', tenant.word('audio'));
  form.append('file', new Blob([new Uint8Array(toneWav({ hz: 440, seconds: 0.5 }))]), 'tone.wav');
  return form;
}

/** @returns the ID of an uploaded audio file */
async function newAudio(tenant: Tenant): Promise<string> {
  const { id } = await tenant.ask('POST', '/v1/callflows/audio', undefined, { raw: audioForm(tenant) });
  return String(id);
}

export const audioOf = (tenant: Tenant): Promise<string> => tenant.once('audio', () => newAudio(tenant));

const written = (tenant: Tenant): Members => ({
  name: tenant.word('flow'),
  kind: 'graph',
  definition: { start: 'end', nodes: { end: { type: 'hangup' } } },
});

async function newFlow(tenant: Tenant): Promise<string> {
  return String((await tenant.ask('POST', '/v1/callflows', written(tenant))).id);
}

const flowOf = (tenant: Tenant): Promise<string> => tenant.once('flow', () => newFlow(tenant));
const onFlow = async (tenant: Tenant) => ({ params: { id: await flowOf(tenant) } });

export const flows: Samples = {
  createCallFlow: (tenant) => ({ body: written(tenant) }),
  listCallFlows: async (tenant) => {
    await flowOf(tenant);
    return {};
  },
  getCallFlow: onFlow,
  replaceCallFlow: async (tenant) => ({
    params: { id: await newFlow(tenant) },
    body: { ...written(tenant), version: 1 },
  }),
  deleteCallFlow: async (tenant) => ({ params: { id: await newFlow(tenant) } }),
  activateCallFlow: onFlow,
  deactivateCallFlow: onFlow,
  listCallFlowVersions: onFlow,
  simulateCallFlow: async (tenant) => ({ ...(await onFlow(tenant)), body: {} }),

  uploadAudio: (tenant) => ({ form: () => audioForm(tenant) }),
  listAudio: async (tenant) => {
    await audioOf(tenant);
    return {};
  },
  getAudioUsage: async (tenant) => {
    await audioOf(tenant);
    return {};
  },
  deleteAudio: async (tenant) => ({ params: { id: await newAudio(tenant) } }),
};
