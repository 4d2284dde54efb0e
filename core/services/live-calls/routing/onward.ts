import type { Destination } from '../../../data/rows.js';
import type { VoicemailBoxLookup } from '../../voicemail/box-lookup.js';
import { boundProgram } from '../../call-state/bound-program.js';
import type { IncomingDirectory } from './incoming-directory.js';
import type { ProgramSpec } from '../../call-state/program.js';

export interface OnwardRouterOptions {
  readonly directory: Pick<IncomingDirectory, 'activeFlow' | 'numberByE164'>;
  readonly boxes: Pick<VoicemailBoxLookup, 'open'>;
}

/** Chooses the program of a call that is sent on to a destination. */
export class OnwardRouter {
  constructor(private readonly options: OnwardRouterOptions) {}

  /**
   * @returns null if the destination is unavailable (no such box, box off, no active flow) or is a hang-up. @throws
   * DatabaseUnavailable
   */
  async to(projectId: string, destination: Destination): Promise<ProgramSpec | null> {
    const { directory, boxes } = this.options;
    if (destination.type !== 'voicemail') return boundProgram(destination, directory);
    const number = destination.target === null ? null : await directory.numberByE164(destination.target);
    if (number?.project_id !== projectId || !(await boxes.open(number.id))) return null;
    return { type: 'voicemail', numberId: number.id };
  }
}
