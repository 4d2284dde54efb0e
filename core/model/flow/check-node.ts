import { descriptorOf, type FlowNode } from './node-types.js';
import type { FlowFault } from './parts/faults.js';
import type { NodeChecker } from './parts/descriptor.js';
import { isTemplate } from './parts/template.js';
import { BUILT_IN_VARIABLES } from './variables.js';

/** The faults of one node that do not depend on the rest of the graph. */
export function faultsOfNode(id: string, node: FlowNode): FlowFault[] {
  const faults: FlowFault[] = [];
  const checker: NodeChecker = {
    fault: (code, field, about = '') => faults.push({ code, node: id, field, about }),
    variables: (names, field) => {
      for (const name of names) if (BUILT_IN_VARIABLES.has(name)) checker.fault('reserved_name', field, name);
    },
  };
  for (const [field, text] of templatesOf(node)) if (!isTemplate(text)) checker.fault('bad_template', field);
  descriptorOf(node).check?.(node, checker);
  return faults;
}

/** Every text of the node that may contain variables. */
function templatesOf(node: FlowNode): [field: string, text: string][] {
  const descriptor = descriptorOf(node);
  const spoken = (descriptor.prompts?.(node) ?? []).map(
    ([field, prompt]) => [field, 'text' in prompt ? prompt.text : null] as const,
  );
  return [...(descriptor.templates?.(node) ?? []), ...spoken].flatMap(([field, text]): [string, string][] =>
    typeof text === 'string' ? [[field, text]] : [],
  );
}
