import type { WorldFile } from "./schema.ts";

/** The built-in world: a hall by the harbour whose screen is on the air, and two places that are not there yet. */
export function demoWorld(): WorldFile {
  return {
    organizations: [
      {
        org_token: "org_demo",
        locations: [harbourHall(), museum(), library()],
        screens: [
          {
            screen_id: "screen_demo",
            title: "Above the ticket desk",
            venue_type_id: "101",
            location_id: "loc_harbour",
          },
          {
            screen_id: "screen_kiosk",
            title: "By the café",
            venue_type_id: "10101",
            location_id: "loc_harbour",
            width: 1080,
            height: 1920,
          },
          { screen_id: "screen_museum", title: "Foyer", venue_type_id: "80102", location_id: "loc_museum" },
        ],
        cars: [
          approval("car_coffee", "approved", "Kettle & Crane", "Second cup", "ad-coffee"),
          approval("car_cycling", "approved", "Velo Nord", "City by bicycle", "ad-cycling"),
          approval("car_sneakers", "approved", "Strato", "Made for Monday", "ad-sneakers"),
          approval("car_festival", "approved", "Open Air", "Three nights", "ad-festival"),
          approval("car_bakery", "approved", "Crumb", "Still warm", "ad-bakery"),
          approval("car_cinema", "pending", "Meridian Pictures", "The Long Horizon", "ad-cinema"),
          {
            ...approval("car_matinee", "rejected", "Meridian Pictures", "Matinée", "ad-cinema"),
            rejection_reasons: ["CUSTOM"],
            custom_message: "The name of the cinema is missing.",
          },
        ],
        campaigns: [
          { campaign_id: "cmp_coffee", car_id: "car_coffee" },
          { campaign_id: "cmp_cycling", car_id: "car_cycling" },
          { campaign_id: "cmp_sneakers", car_id: "car_sneakers" },
          { campaign_id: "cmp_festival", car_id: "car_festival" },
          { campaign_id: "cmp_bakery", car_id: "car_bakery", paid: false },
          { campaign_id: "cmp_cinema", car_id: "car_cinema" },
        ],
      },
    ],
    news: ["news-transit", "news-weather", "news-headlines", "news-sport", "news-culture"].map((creative) => ({
      creative,
    })),
    autoApprove: { carsMs: 48 * 3_600_000 },
  };
}

/** Open round the clock, so that the demo has ads whenever it is run. */
function harbourHall() {
  return {
    location_id: "loc_harbour",
    title: "Harbour Hall",
    venue_type_id: "101",
    lat: 53.5453,
    long: 9.9687,
    opening_168: Array<boolean>(168).fill(true),
    visitors_7: [4200, 4100, 4300, 4600, 5900, 7400, 6100],
    status: "APPROVED" as const,
    timezone: "Europe/Berlin",
    country: "DEU",
    city: "Hamburg",
  };
}

function museum() {
  return {
    location_id: "loc_museum",
    title: "Museum of the Tides",
    venue_type_id: "801",
    lat: 54.3233,
    long: 10.1394,
    opening_168: Array.from({ length: 168 }, (_, hour) => hour >= 24 && hour % 24 >= 10 && hour % 24 < 18),
    visitors_7: [0, 350, 380, 420, 510, 980, 1100],
    status: "REVIEW" as const,
    timezone: "Europe/Berlin",
  };
}

function library() {
  return { location_id: "loc_library", title: "East Library", status: "DRAFT" as const, email: "east@library.example" };
}

function approval(
  car_id: string,
  status: "pending" | "approved" | "rejected",
  advertiser_name: string,
  campaign_name: string,
  creative: string,
) {
  return { car_id, status, advertiser_name, campaign_name, creative, cities: ["Hamburg"], countries: ["DEU"] };
}
