import { z } from 'zod';
import { flowNode } from './node-types.js';
import { flowLanguage, nodeId, prompt, templateValue, variableName } from './parts/fields.js';

/** Nodes by their ids, and the node at which a call starts. */
export const graphDefinition = z
  .strictObject({
    start: nodeId,
    language: flowLanguage.optional().describe('The language of texts that name none; Arabic by default'),
    variables: z.record(variableName, templateValue).optional().describe('Initial values of variables'),
    nodes: z.record(nodeId, flowNode),
  })
  .meta({ id: 'CallFlowGraph' });
export type GraphDefinition = z.output<typeof graphDefinition>;

const MENU_TARGETS = ['number', 'agent', 'sip', 'queue', 'callflow', 'voicemail', 'hangup', 'repeat'] as const;
const menuTarget = z.strictObject({ type: z.enum(MENU_TARGETS), target: z.string().min(1).max(255).nullish() });
export type MenuTarget = z.output<typeof menuTarget>;

/** The short form: one question with a destination for each key. */
export const menuDefinition = z
  .strictObject({
    language: flowLanguage.optional(),
    greeting: prompt.optional(),
    prompt,
    options: z.record(z.string().regex(/^[0-9*#]$/), menuTarget),
    timeout_seconds: z.int().min(1).max(60).optional(),
    retries: z.int().min(0).max(10).optional(),
    invalid_prompt: prompt.optional(),
    no_input_prompt: prompt.optional(),
    otherwise: menuTarget
      .optional()
      .describe('Followed if the caller chooses nothing after all retries; the call ends by default'),
  })
  .meta({ id: 'CallFlowMenu' });
export type MenuDefinition = z.output<typeof menuDefinition>;

export const FLOW_KINDS = ['menu', 'graph'] as const;
export type FlowKind = (typeof FLOW_KINDS)[number];

export type FlowDefinition =
  | { readonly kind: 'menu'; readonly definition: MenuDefinition }
  | { readonly kind: 'graph'; readonly definition: GraphDefinition };
