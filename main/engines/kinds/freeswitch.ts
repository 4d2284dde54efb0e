import { join } from 'node:path';
import { EndedLegs } from '../../../engine/freeswitch/ended-legs.js';
import { FreeswitchEngine } from '../../../engine/freeswitch/freeswitch-engine.js';
import type { EngineKindDescriptor } from './kind.js';

const CODECS: Readonly<Record<string, string>> = { alaw: 'PCMA', ulaw: 'PCMU', opus: 'OPUS', g722: 'G722' };

export const freeswitch: EngineKindDescriptor<'freeswitch'> = {
  codecs: (names) => names.flatMap((name) => CODECS[name] ?? []),
  connect({ address, password, maxCalls, log: logger }, context) {
    const { codecs, trunkProbeSeconds, security, mediaDir, legEnds, clock } = context;
    const { host, port, details, recordings: recordingDir = join(mediaDir, 'recorded') } = address;
    const limit = maxCalls === null ? {} : { maxCalls };
    const sip = { codecs: this.codecs(codecs), trunkProbeSeconds, security };
    const options = { host, port, password, recordingDir, ...sip, logger, clock, ...limit };
    return {
      open: () => new FreeswitchEngine(options),
      ...(details !== undefined && {
        detail: () => new EndedLegs({ directory: details, reported: legEnds, log: logger }),
      }),
    };
  },
};
