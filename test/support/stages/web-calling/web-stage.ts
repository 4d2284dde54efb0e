import type { Database } from '../../../../core/data/database.js';
import type { CallObject } from '../../../../core/model/objects/call.js';
import type { Answer } from '../../api.js';
import type { TrunkTalkers } from '../../calls/trunk-talkers.js';

/** The platform with phones, on some engine. */
export interface WebStage {
  readonly url: string;
  /** The number of the demo. */
  readonly lineNumber: string;
  readonly talkers: TrunkTalkers;
  readonly db: Database;
  request(method: string, path: string, json?: object): Promise<Answer>;
  /** The codec of calls that a browser makes. */
  readonly browserCodec: 'audio/opus' | 'audio/PCMA';
  /** Whether music is heard while a phone holds a call by its own button; otherwise silence. */
  readonly phoneHoldsWithMusic: boolean;
  /** Resolves with the call once it has ended. */
  over(callId: string): Promise<CallObject>;
}
