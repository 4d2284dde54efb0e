import type { FlowNode, FlowNodeType } from '../../../core/model/flow/definition.js';
import type { FlowOutcome } from '../actions.js';
import { FlowError, type NodeBehaviour, type NodeContext, type Step } from '../node.js';
import { authMenu } from '../nodes/auth-menu.js';
import { branch } from '../nodes/branch.js';
import { conference } from '../nodes/conference.js';
import { dial } from '../nodes/dial.js';
import { gather } from '../nodes/gather.js';
import { goto } from '../nodes/goto.js';
import { hangup } from '../nodes/hangup.js';
import { hours } from '../nodes/hours.js';
import { http } from '../nodes/http.js';
import { menu } from '../nodes/menu.js';
import { play } from '../nodes/play.js';
import { queue } from '../nodes/queue.js';
import { record } from '../nodes/record.js';
import { say } from '../nodes/say.js';
import { set } from '../nodes/set.js';
import { subflow } from '../nodes/subflow.js';
import { transfer } from '../nodes/transfer.js';
import { verify } from '../nodes/verify.js';
import { voicemail } from '../nodes/voicemail.js';

const BEHAVIOURS: { readonly [T in FlowNodeType]: NodeBehaviour<T> } = {
  play,
  say,
  menu,
  gather,
  auth_menu: authMenu,
  branch,
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

export function enterNode(node: FlowNode, ctx: NodeContext): Step {
  return behaviourOf(node).enter(node, ctx);
}

/** @throws FlowError for an outcome that the node did not wait for */
export function resumeNode(node: FlowNode, outcome: FlowOutcome, ctx: NodeContext): Step {
  const step = behaviourOf(node).resume?.(node, outcome, ctx);
  if (!step) throw new FlowError(`nothing was wanted at a node of type ${node.type}`);
  return step;
}

/** The table pairs each type with its behaviour, which the compiler cannot follow through the look-up. */
function behaviourOf(node: FlowNode): NodeBehaviour<FlowNodeType> {
  return BEHAVIOURS[node.type] as unknown as NodeBehaviour<FlowNodeType>;
}
