import type { FlowNode, FlowNodeType } from '../../../core/model/flow/node-types.js';
import type { NodeBehaviour, NodeContext, Step } from '../node.js';
import { authMenu } from './auth-menu.js';
import { branch } from './branch.js';
import { conference } from './conference.js';
import { dial } from './dial.js';
import { gather } from './gather.js';
import { goto } from './goto.js';
import { hangup } from './hangup.js';
import { hours } from './hours.js';
import { http } from './http.js';
import { menu } from './menu.js';
import { play } from './play.js';
import { queue } from './queue.js';
import { record } from './record.js';
import { say } from './say.js';
import { set } from './set.js';
import { split } from './split.js';
import { subflow } from './subflow.js';
import { transfer } from './transfer.js';
import { verify } from './verify.js';
import { voicemail } from './voicemail.js';

/** The behaviour of each node type. The compiler reports a type that is missing here. */
const BEHAVIOURS: { readonly [T in FlowNodeType]: NodeBehaviour<T> } = {
  play,
  say,
  menu,
  gather,
  auth_menu: authMenu,
  branch,
  split,
  hours,
  set,
  queue,
  dial,
  voicemail,
  record,
  conference,
  http,
  transfer,
  verify,
  subflow,
  goto,
  hangup,
};

/** @throws FlowError if the node cannot be entered */
export function enterNode(node: FlowNode, ctx: NodeContext): Step {
  // The table pairs each type with its behaviour; the compiler cannot follow that through the look-up.
  return (BEHAVIOURS[node.type] as unknown as NodeBehaviour<FlowNodeType>)(node, ctx);
}
