import { rowOf } from './callbacks.ts'

/** The usage of an account, as the service stores it. */
export async function usageOf(userId: number) {
  return await rowOf<Usage>(
    `select bodies_used as bodies, body_bytes_used as bodyBytes, images_used as images, image_bytes_used as imageBytes,
      deliveries_used as deliveries
    from users where id = ?`,
    userId,
  )
}

export interface Usage {
  bodies: number
  bodyBytes: number
  images: number
  imageBytes: number
  deliveries: number
}

/** The usage of an account, counted from the rows themselves. */
export async function countUsage(userId: number) {
  return await rowOf<Usage>(
    `select
      (select count(*) from planets where creator_id = ?1)
        + (select count(*) from bodies where creator_id = ?1 and planet_id is null and host_id is null) as bodies,
      (select coalesce(sum(octet_length(properties) + coalesce(octet_length(extras), 0)), 0) from planets where creator_id = ?1)
        + (select coalesce(sum(octet_length(properties) + coalesce(octet_length(extras), 0)), 0) from bodies where creator_id = ?1)
        as bodyBytes,
      (select count(*) from planets where creator_id = ?1 and image_key is not null) as images,
      (select coalesce(sum(file_size), 0) from images where key in (select image_key from planets where creator_id = ?1))
        as imageBytes,
      (select count(*) from deliveries where user_id = ?1) as deliveries`,
    userId,
  )
}
