import { actLast, type NodeBehaviour } from '../node.js';
import { EndAction } from '../shared/end-action.js';

export const hangup: NodeBehaviour<'hangup'> = ({ reason }) => actLast(new EndAction(reason ?? 'normal'));
