import { isOpen } from '../../../core/model/calendar/index.js';
import type { NodeBehaviour } from '../node.js';

export const hours: NodeBehaviour<'hours'> = (node, { now }) => ({
  go: isOpen(node.hours, now) ? node.open : node.closed,
});
