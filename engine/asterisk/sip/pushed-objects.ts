import { isGone, type AriHttp } from '../ari/ari-http.js';
import type { PjsipObject } from './pjsip-objects.js';

/**
 * Pushes the PJSIP objects of a softphone or trunk in order, replacing existing ones. An identify is removed first,
 * because Asterisk would add new addresses to the old list. If it is unchanged it is left alone: removing it would refuse
 * the calls that arrive in between.
 */
export async function pushObjects(http: AriHttp, objects: readonly PjsipObject[]): Promise<void> {
  for (const object of objects) {
    if (object.type === 'identify') {
      if (await isUnchanged(http, object)) continue;
      await removeObjects(http, [object]);
    }
    await http.send('PUT', pathOf(object), {
      body: { fields: object.fields.map(([attribute, value]) => ({ attribute, value })) },
    });
  }
}

/** Whether Asterisk has an identical identify. */
async function isUnchanged(http: AriHttp, object: PjsipObject): Promise<boolean> {
  try {
    const shown = await http.send<readonly { readonly attribute: string; readonly value: string }[]>(
      'GET',
      pathOf(object),
    );
    const valuesOf = (wanted: string): string[] =>
      shown.filter(({ attribute }) => attribute === wanted).map(({ value }) => value);
    const fieldsOf = (wanted: string): string[] =>
      object.fields.filter(([attribute]) => attribute === wanted).map(([, value]) => value);
    const hasSameValues = (one: readonly string[], other: readonly string[]): boolean =>
      one.toSorted().join() === other.toSorted().join();
    return (
      hasSameValues(valuesOf('endpoint'), fieldsOf('endpoint')) &&
      hasSameValues(
        valuesOf('match_header').filter((value) => value !== ''),
        fieldsOf('match_header'),
      ) &&
      hasSameValues(valuesOf('match'), fieldsOf('match').map(asShown))
    );
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Converts `10.0.0.0/8` to the form that Asterisk shows: `10.0.0.0/255.0.0.0`. */
function asShown(address: string): string {
  const [host = '', length = '32'] = address.split('/');
  const bits = (0xffff_ffff << (32 - Number(length))) >>> 0;
  const mask = length === '0' ? '0.0.0.0' : [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.');
  return `${host}/${mask}`;
}

/** Removes the objects in reverse order; missing ones are skipped. */
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

/**
 * Ends a registration at a trunk, if there is one. Asterisk keeps registering for an object that was removed until it
 * reloads the module, and then unregisters.
 */
export async function removeRegistration(http: AriHttp, id: string): Promise<void> {
  try {
    await http.send('DELETE', pathOf({ type: 'registration', id }));
  } catch (error) {
    if (isGone(error)) return;
    throw error;
  }
  await http.send('PUT', '/asterisk/modules/res_pjsip_outbound_registration.so');
}

function pathOf({ type, id }: Pick<PjsipObject, 'type' | 'id'>): string {
  return `/asterisk/config/dynamic/res_pjsip/${type}/${encodeURIComponent(id)}`;
}
