import { isGone, type AriHttp } from './ari-http.js';
import type { PjsipObject } from './pjsip-objects.js';

/**
 * Pushes one thing's PJSIP objects, in their order. An object that is there is replaced; an identify is removed first,
 * since a new list of addresses would be added to the old one.
 */
export async function pushObjects(http: AriHttp, objects: readonly PjsipObject[]): Promise<void> {
  for (const object of objects) {
    if (object.type === 'identify') await removeObjects(http, [object]);
    await http.send('PUT', pathOf(object), {
      body: { fields: object.fields.map(([attribute, value]) => ({ attribute, value })) },
    });
  }
}

/** Removes them in the opposite order; one that is not there is passed over. */
export async function removeObjects(
  http: AriHttp,
  objects: readonly Pick<PjsipObject, 'type' | 'id'>[],
): Promise<void> {
  for (const object of objects.toReversed()) {
    try {
      await http.send('DELETE', pathOf(object));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

function pathOf({ type, id }: Pick<PjsipObject, 'type' | 'id'>): string {
  return `/asterisk/config/dynamic/res_pjsip/${type}/${encodeURIComponent(id)}`;
}
