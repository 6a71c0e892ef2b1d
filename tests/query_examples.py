"""A query graph and its wording for everything that people ask."""

from __future__ import annotations

from kgneo.query.graph import Aggregate, Arithmetic, Condition, Edge, QueryGraph, Selection, Value, Variable

NODES = {"1": "Tom Hanks", "2": "The Matrix", "3": "Keanu Reeves", "4": "Ridley Scott", "5": "Drama"}
FILM, PERSON = Variable("f", ("Movie",)), Variable("p", ("Person",))
MATRIX, KEANU = Variable("m", ("Movie",), ("2",)), Variable("k", ("Person",), ("3",))
TOM, RIDLEY = Variable("t", ("Person",), ("1",)), Variable("r", ("Person",), ("4",))
COUNTRY, CUSTOMER, ORDER = Variable("c", ("Country",)), Variable("u", ("Customer",)), Variable("o", ("Order",))
ALL = (Value("f"), Value("p"))
F, P = ALL


def acted(person: str, film: str, **more: object) -> Edge:
    return Edge(person, ("ACTED_IN",), film, **more)  # type: ignore[arg-type]


def directed(person: str, film: str, **more: object) -> Edge:
    return Edge(person, ("DIRECTED",), film, **more)  # type: ignore[arg-type]


EXAMPLES: dict[str, tuple[QueryGraph, str]] = {
    "a chain": (
        QueryGraph((PERSON, FILM, KEANU), P, (directed("p", "f"), acted("k", "f"))),
        "movie that Keanu Reeves acted in → person that directed them",
    ),
    "a property at the end of a chain": (
        QueryGraph((FILM, KEANU), Value("f", "released"), (acted("k", "f"),)),
        "movie that Keanu Reeves acted in → what they released",
    ),
    "two given nodes": (
        QueryGraph((FILM, KEANU, TOM), F, (acted("k", "f"), acted("t", "f"))),
        "movies that Keanu Reeves acted in and that Tom Hanks acted in",
    ),
    "but not": (
        QueryGraph((FILM, RIDLEY, TOM), F, (directed("r", "f"), acted("t", "f", absent=True))),
        "movies that Ridley Scott directed, but none that Tom Hanks acted in",
    ),
    "but not, by a noun": (
        QueryGraph(
            (Variable("f", ("Film",)), RIDLEY, Variable("d", ("Genre",), ("5",))),
            F,
            (Edge("f", ("directed_by",), "r"), Edge("f", ("genre",), "d", absent=True)),
        ),
        "films directed by Ridley Scott, but not with genre Drama",
    ),
    "one or the other relation": (
        QueryGraph((PERSON, MATRIX), P, (Edge("p", ("ACTED_IN", "DIRECTED"), "m"),)),
        "people that acted in The Matrix or that directed The Matrix",
    ),
    "one or the other node": (
        QueryGraph((FILM, Variable("k", (), ("1", "3"))), F, (acted("k", "f"),)),
        "movie that Tom Hanks or Keanu Reeves acted in",
    ),
    "a value": (
        QueryGraph((CUSTOMER,), Value("u"), (), (Condition(Value("u", "country"), "=", ("Germany",)),)),
        "customers with country Germany",
    ),
    "a truth": (
        QueryGraph((CUSTOMER,), Value("u"), (), (Condition(Value("u", "isDiscontinued"), "=", (True,)),)),
        "customers that are discontinued",
    ),
    "a value of an edge": (
        QueryGraph((PERSON, MATRIX), P, (acted("p", "m", name="a"),), (Condition(Value("a", "role"), "=", ("Neo",)),)),
        "people that acted in The Matrix (role Neo)",
    ),
    "what an edge says": (
        QueryGraph((MATRIX, KEANU), Value("a", "role"), (acted("k", "m", name="a"),)),
        "role with which Keanu Reeves acted in The Matrix",
    ),
    "a comparison": (
        QueryGraph((FILM, KEANU), F, (acted("k", "f"),), (Condition(Value("f", "released"), ">", (2000,)),)),
        "movies with released more than 2000 that Keanu Reeves acted in",
    ),
    "a range of dates": (
        QueryGraph(
            (ORDER,), Value("o"), (), (Condition(Value("o", "orderDate", "date"), "between", ("1996", "1997")),)
        ),
        "orders with order date between 1996 and 1997",
    ),
    "a comparison with another node": (
        QueryGraph((FILM, MATRIX), F, (), (Condition(Value("f", "runtime"), ">", Value("m", "runtime")),)),
        "movies with runtime more than that of The Matrix",
    ),
    "no value": (
        QueryGraph((CUSTOMER,), Value("u"), (), (Condition(Value("u", "fax"), "missing"),)),
        "customers with no fax",
    ),
    "a count with conditions": (
        QueryGraph(
            (Variable("c", ("Crime",)), Variable("v", ("Vehicle",))),
            Aggregate("count", Value("c")),
            (Edge("v", ("INVOLVED_IN",), "c"),),
            (Condition(Value("c", "date"), "=", ("11/08/2017",)), Condition(Value("v", "make"), "=", ("Nissan",))),
        ),
        "number of crimes with date 11/08/2017 that vehicles with make Nissan involved in",
    ),
    "an average": (
        QueryGraph((FILM, KEANU), Aggregate("average", Value("f", "runtime")), (acted("k", "f"),)),
        "average runtime of movies that Keanu Reeves acted in",
    ),
    "different values": (
        QueryGraph((CUSTOMER,), Aggregate("count", Value("u", "city"))),
        "number of different cities of customers",
    ),
    "the newest three": (
        QueryGraph(
            (ORDER, CUSTOMER),
            Value("o"),
            (Edge("u", ("PURCHASED",), "o"),),
            (Condition(Value("u", "companyName"), "=", ("Alfreds",)),),
            (Selection("o", Value("o", "orderDate", "date"), descending=True, limit=3),),
        ),
        "the 3 orders that customers with company name Alfreds purchased with the latest order date",
    ),
    "the second": (
        QueryGraph((COUNTRY,), Value("c"), (), (), (Selection("c", Value("c", "area"), descending=True, offset=1),)),
        "the country with the 2nd highest area",
    ),
    "most": (
        QueryGraph(
            (PERSON, FILM), P, (directed("p", "f"),), (), (Selection("p", Aggregate("count", F), descending=True),)
        ),
        "the person with the most movies that they directed",
    ),
    "most, of some": (
        QueryGraph(
            (COUNTRY, CUSTOMER, ORDER),
            Value("c"),
            (Edge("u", ("country",), "c"), Edge("u", ("PURCHASED",), "o")),
            (),
            (Selection("c", Aggregate("sum", Value("o", "freight")), descending=True),),
        ),
        "the country with the highest total freight of orders that customers with that country purchased",
    ),
    "more than": (
        QueryGraph(
            (Variable("g", ("Genre",)), FILM),
            Value("g"),
            (Edge("f", ("IN_GENRE",), "g"),),
            (Condition(Aggregate("count", F, Value("g")), ">", (100,)),),
        ),
        "genres with more than 100 movies with that genre",
    ),
    "for each": (
        QueryGraph((FILM,), Aggregate("count", F, Value("f", "released"))),
        "number of movies, for each released of the movie",
    ),
    "for each node": (
        QueryGraph((FILM, PERSON), Aggregate("count", F, Value("p")), (directed("p", "f"),)),
        "number of movies that people directed, for each person",
    ),
    "whether": (
        QueryGraph((KEANU, MATRIX), Aggregate("exists", Value("k")), (acted("k", "m"),)),
        "whether Keanu Reeves acted in The Matrix",
    ),
    "whether older": (
        QueryGraph(
            (KEANU, TOM), Aggregate("exists", Value("k")), (), (Condition(Value("k", "born"), "<", Value("t", "born")),)
        ),
        "whether Keanu Reeves has born less than that of Tom Hanks",
    ),
    "which of two": (
        QueryGraph(
            (Variable("k", ("Person",), ("1", "3")),), Value("k"), (), (), (Selection("k", Value("k", "born")),)
        ),
        "the one of Tom Hanks or Keanu Reeves with the lowest born",
    ),
    "another of the same": (
        QueryGraph(
            (FILM, PERSON, MATRIX), F, (directed("p", "f"), directed("p", "m")), (Condition(F, "<>", Value("m")),)
        ),
        "movies other than The Matrix that people that directed The Matrix directed",
    ),
    "longer than another of the same": (
        QueryGraph(
            (FILM, PERSON, Variable("g", ("Movie",))),
            F,
            (directed("p", "f"), directed("p", "g")),
            (Condition(Value("f", "runtime"), ">", Value("g", "runtime")),),
        ),
        "movies that people that directed movies directed, with runtime more than that of those movies",
    ),
    "none at all": (
        QueryGraph((CUSTOMER, ORDER), Value("u"), (Edge("u", ("PURCHASED",), "o", absent=True),)),
        "customers, but none that purchased orders",
    ),
    "of the newest": (
        QueryGraph(
            (PERSON, FILM, RIDLEY),
            P,
            (acted("p", "f"), directed("r", "f")),
            (),
            (Selection("f", Value("f", "year"), descending=True, limit=2),),
        ),
        "people that acted in the 2 movies that Ridley Scott directed with the latest year",
    ),
    "both": (
        QueryGraph((PERSON, MATRIX), P, (acted("p", "m"), directed("p", "m"))),
        "people that acted in The Matrix and that directed The Matrix",
    ),
    "both, of any": (
        QueryGraph((PERSON, FILM), P, (acted("p", "f"), directed("p", "f"))),
        "people that acted in movies and that directed those movies",
    ),
    "either way": (
        QueryGraph((PERSON, KEANU), P, (Edge("p", ("KNOWS",), "k", directed=False),)),
        "people that know Keanu Reeves (either way)",
    ),
    "how old": (
        QueryGraph((MATRIX, KEANU), Arithmetic("-", Value("m", "released"), Value("k", "born"))),
        "released of The Matrix minus born of Keanu Reeves",
    ),
    "everything of a kind": (QueryGraph((COUNTRY,), Value("c")), "countries"),
    "two columns": (
        QueryGraph((FILM,), Value("f", "title"), columns=(Value("f", "released"),)),
        "title of movies, with their released",
    ),
    "each with a number, which may be 0": (
        QueryGraph((PERSON, FILM), P, (directed("p", "f", optional=True),), columns=(Aggregate("count", F),)),
        "people, with number of movies that they directed (if any)",
    ),
    "the relationship that comes first": (
        QueryGraph(
            (PERSON, FILM),
            Value("a", "role"),
            (acted("p", "f", name="a"),),
            selections=(Selection("a", Value("a", "fee"), descending=True),),
        ),
        "role with which a person acted in a movie (fee the highest fee with which a person acted in a movie)",
    ),
    "any three": (QueryGraph((COUNTRY,), Value("c"), (), (), (Selection("c", limit=3),)), "any 3 of countries"),
    "above the average of all": (
        QueryGraph(
            (FILM, Variable("g", ("Movie",))),
            F,
            (),
            (Condition(Value("f", "runtime"), ">", Aggregate("average", Value("g", "runtime"))),),
        ),
        "movies with runtime more than the average runtime of movies",
    ),
    "are there more": (
        QueryGraph(
            (COUNTRY, CUSTOMER),
            Aggregate("exists", Value("c")),
            (),
            (Condition(Aggregate("count", Value("c")), ">", Aggregate("count", Value("u"))),),
        ),
        "whether number of countries is more than the number of customers",
    ),
    "an average of counts": (
        QueryGraph((PERSON, FILM), Aggregate("average", F, each=P), (directed("p", "f"),)),
        "average number of movies that people directed, for each person",
    ),
    "groups by a property": (
        QueryGraph(
            (CUSTOMER,),
            Value("u", "city"),
            (),
            (Condition(Aggregate("count", Value("u"), Value("u", "city")), "<=", (3,)),),
        ),
        "city of customers whose city has at most 3 customers",
    ),
    "the most common value": (
        QueryGraph(
            (CUSTOMER,),
            Value("u", "city"),
            (),
            (),
            (Selection("u", Aggregate("count", Value("u"), Value("u", "city")), descending=True),),
            columns=(Aggregate("count", Value("u")),),
        ),
        "city of customers whose city has the most customers, with number of customers",
    ),
    "one or the other condition": (
        QueryGraph(
            (FILM,),
            F,
            alternatives=(
                (
                    (Condition(Value("f", "released"), "<", (1950,)),),
                    (
                        Condition(Value("f", "title"), "starts with", ("The",)),
                        Condition(Value("f", "tagline"), "missing"),
                    ),
                ),
            ),
        ),
        "movies, where released less than 1950 or title starting with The and no tagline",
    ),
    "one or the other edge": (
        QueryGraph(
            (PERSON, FILM, Variable("g", ("Movie",))),
            P,
            (directed("p", "f", name="d", optional=True), acted("p", "g", name="a", optional=True)),
            alternatives=(((Condition(Value("d"), "present"),), (Condition(Value("a"), "present"),)),),
        ),
        "people that directed movies (if any) and that acted in movies (if any), where they directed any movies or "
        "they acted in any movies",
    ),
    "a remainder and an order by a product": (
        QueryGraph(
            (FILM,),
            F,
            (),
            (Condition(Arithmetic("%", Value("f", "released"), 10), "=", (0,)),),
            (Selection("f", Arithmetic("*", Value("f", "runtime"), Value("f", "votes")), descending=True),),
        ),
        "the movie with released modulo 10 equal to 0 with the highest runtime times votes",
    ),
}
