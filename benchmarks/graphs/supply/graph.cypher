UNWIND [['SteelWorks','Germany',4.5],['PlastiCo','Poland',3.9],['ChipMakers','Taiwan',4.8]] AS r CREATE (:Supplier {supplier_name:r[0],country:r[1],rating:r[2]});
UNWIND [['P-100','Housing',12.5],['P-200','Controller',48.0],['P-300','Bracket',3.2],['P-400','Sensor',22.0]] AS r CREATE (:Part {part_no:r[0],part_name:r[1],unit_cost:r[2]});
UNWIND [['SteelWorks','P-300',14],['PlastiCo','P-100',21],['ChipMakers','P-200',60],['ChipMakers','P-400',45],['SteelWorks','P-100',30]] AS r MATCH (s:Supplier {supplier_name:r[0]}),(p:Part {part_no:r[1]}) CREATE (s)-[:SUPPLIES {lead_time_days:r[2]}]->(p);
UNWIND [['Drone X1',899.0],['Robot Arm',4200.0]] AS r CREATE (:Product {product_name:r[0],list_price:r[1]});
UNWIND [['Drone X1','P-100',1],['Drone X1','P-200',1],['Drone X1','P-400',4],['Robot Arm','P-300',12],['Robot Arm','P-200',2]] AS r MATCH (a:Product {product_name:r[0]}),(p:Part {part_no:r[1]}) CREATE (a)-[:USES {quantity:r[2]}]->(p);
UNWIND [['Hamburg Hub','Germany',5000],['Gdansk Depot','Poland',1200]] AS r CREATE (:Warehouse {warehouse_name:r[0],country:r[1],capacity:r[2]});
UNWIND [['Hamburg Hub','P-100',400],['Hamburg Hub','P-200',50],['Gdansk Depot','P-300',900]] AS r MATCH (w:Warehouse {warehouse_name:r[0]}),(p:Part {part_no:r[1]}) CREATE (w)-[:STOCKS {on_hand:r[2]}]->(p);
