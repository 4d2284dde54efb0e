import { actLast, type NodeBehaviour } from '../node.js';
import { VoicemailAction } from '../shared/voicemail-action.js';

export const voicemail: NodeBehaviour<'voicemail'> = ({ number }) => actLast(new VoicemailAction(number ?? null));
