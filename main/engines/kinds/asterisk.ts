import { join } from 'node:path';
import { AsteriskEngine } from '../../../engine/asterisk/asterisk-engine.js';
import { entityIdOf } from '../../../engine/asterisk/ari/engine-link.js';
import { CelRecords } from '../../../engine/asterisk/cel/cel-records.js';
import type { EngineKindDescriptor } from './kind.js';

export const asterisk: EngineKindDescriptor<'asterisk'> = {
  // Hatif uses Asterisk's names.
  codecs: (names) => names,
  connect({ address, password, maxCalls, ownsDetails, log: logger }, context) {
    const { codecs, sessionTimers, trunkProbeSeconds, security, mediaDir, clock } = context;
    const { url, user: username, details: file } = address;
    const soundDir = join(mediaDir, 'sounds');
    const limit = maxCalls === null ? {} : { maxCalls };
    const sip = { codecs, sessionTimers, trunkProbeSeconds, security };
    const options = { url, username, password, ...sip, soundDir, logger, clock, ...limit };
    return {
      open: () => new AsteriskEngine(options),
      ...(file !== undefined && {
        detail: (engine) => {
          const entityId = (): string | null => engine.status.bootId && entityIdOf(engine.status.bootId);
          return new CelRecords({ file, isEmbedded: ownsDetails, entityId, log: logger });
        },
      }),
    };
  },
};
