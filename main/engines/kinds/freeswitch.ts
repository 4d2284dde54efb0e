import { join } from 'node:path';
import { codecNames } from '../../../engine/freeswitch/codecs.js';
import { EndedLegs, linesFile } from '../../../engine/freeswitch/ended-legs.js';
import { FreeswitchEngine } from '../../../engine/freeswitch/freeswitch-engine.js';
import type { EngineKindDescriptor } from './kind.js';

export const freeswitch: EngineKindDescriptor<'freeswitch'> = {
  codecs: codecNames,
  connect({ address, password, maxCalls, log: logger }, context) {
    const { codecs, trunkProbeSeconds, security, mediaDir, legEnds, clock } = context;
    const { host, port, details, recordings: recordingDir = join(mediaDir, 'recorded') } = address;
    const limit = maxCalls === null ? {} : { maxCalls };
    const sip = { codecs: this.codecs(codecs), trunkProbeSeconds, security };
    const records = details === undefined ? {} : { legRecords: linesFile(details) };
    const options = { host, port, password, recordingDir, ...records, ...sip, logger, clock, ...limit };
    return {
      open: () => new FreeswitchEngine(options),
      ...(details !== undefined && {
        detail: () => new EndedLegs({ directory: details, reported: legEnds, log: logger }),
      }),
    };
  },
};
